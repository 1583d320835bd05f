import { StoreUnavailable, type TelemetryStore } from '../../platform/clickhouse/index.ts'
import { Problem } from '../../platform/errors.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { isFailed } from '../columns.ts'
import type { SpanRow } from '../span-row.ts'
import { attributeConditions, type Conditions } from './attribute-conditions.ts'
import { callColumns } from './call-columns.ts'
import { sessionCondition } from './derived-session.ts'
import { type StoredSpan, storedColumns, toSpanRow } from './stored-span.ts'

export type QueryStore = Pick<TelemetryStore, 'query'>

/** A place in a list that is ordered by start, trace and span. */
export interface Place {
	startNs: string
	traceId: string
	spanId: string
}

export interface SpanFilter {
	source?: string
	kind?: string
	status?: string
	agent_uuid?: string
	server_id?: string
	credential_id?: string
	tool?: string
	session_id?: string
	user_id?: string
	service?: string
	provider?: string
	model?: string
	connection?: string
	client?: string
	error_type?: string
	/** Tool calls and model calls; `failed`: those without a good outcome. */
	calls?: 'all' | 'failed'
	/** See `attributeConditions`. */
	attribute?: string[]
	/** The same of columns too. */
	filter?: string[]
}

type FilterOfColumn = Exclude<keyof SpanFilter, 'attribute' | 'calls' | 'filter' | 'session_id'>
const filterColumns: Readonly<Record<FilterOfColumn, string>> = {
	source: 'source',
	kind: 'kind',
	status: 'status',
	agent_uuid: 'agent_id',
	server_id: 'server_id',
	credential_id: 'credential_id',
	tool: 'tool_name',
	user_id: 'user_id',
	service: 'service_name',
	provider: 'provider',
	model: "if(model != '', model, model_requested)",
	connection: 'connection',
	client: 'client',
	error_type: 'error_type',
}

const isCall = " AND kind IN ('tool_call', 'model_call')"

/** Of MCP requests beside tool calls all are looked at where these are what is asked for, as Spotlight counts them. */
function callCondition({ calls, kind }: SpanFilter): string {
	if (!calls) return ''
	return `${kind === 'mcp' ? '' : isCall}${calls === 'failed' ? ` AND ${isFailed()}` : ''}`
}

/** Spans of a time range that come after a place, newest first. */
export async function findSpans(
	store: QueryStore,
	workspaceId: string,
	wanted: { range: TimeRange; filter: SpanFilter; after: Place | null; limit: number },
): Promise<SpanRow[]> {
	const { range, filter, after, limit } = wanted
	const { sql, parameters } = spanConditions(filter)
	return select(
		store,
		`WHERE workspace_id = {workspace:String}
			AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
			${sql} ${after ? `AND ${place('<')}` : ''}
		ORDER BY started_at DESC, trace_id DESC, span_id DESC LIMIT {limit:UInt32}`,
		{
			...parameters,
			workspace: workspaceId,
			start: range.startMs,
			end: range.endMs,
			limit,
			...placeParameters(after),
		},
	)
}

/** ` AND …` for each condition of a filter on spans, and its parameters beside `workspace`. */
export function spanConditions(filter: SpanFilter): Conditions {
	const names = (Object.keys(filterColumns) as (keyof typeof filterColumns)[]).filter(
		(name) => filter[name] !== undefined,
	)
	const attributes = attributeConditions(filter.attribute)
	const conditions = attributeConditions(filter.filter, { parameter: 'filter', columns: callColumns })
	const columns = names.map((name) => ` AND ${filterColumns[name]} = {${name}:String}`).join('')
	const session = filter.session_id === undefined ? null : sessionCondition(filter.session_id)
	return {
		sql:
			columns +
			(session ? ` AND ${session.sql}` : '') +
			callCondition(filter) +
			attributes.sql +
			conditions.sql,
		parameters: {
			...attributes.parameters,
			...conditions.parameters,
			...Object.fromEntries(names.map((name) => [name, filter[name]])),
			...session?.parameters,
		},
	}
}

/** Spans of traces that come after a place, oldest first. The ids are 32 hex digits. */
export function findTrace(
	store: QueryStore,
	workspaceId: string,
	wanted: { traceIds: readonly string[]; after: Place | null; limit: number },
): Promise<SpanRow[]> {
	const { traceIds, after, limit } = wanted
	return select(
		store,
		`WHERE workspace_id = {workspace:String} AND trace_id IN (SELECT toFixedString(unhex(arrayJoin({traces:Array(String)})), 16)) ${after ? `AND ${place('>')}` : ''}
		ORDER BY started_at, trace_id, span_id LIMIT {limit:UInt32}`,
		{ workspace: workspaceId, traces: [...traceIds], limit, ...placeParameters(after) },
	)
}

/** Rows on one side of the place. The bound on the time alone is what the engine can skip by. */
function place(direction: '<' | '>'): string {
	return `started_at ${direction}= fromUnixTimestamp64Nano({after_start:Int64}, 'UTC') AND (started_at, trace_id, span_id) ${direction} (fromUnixTimestamp64Nano({after_start:Int64}, 'UTC'), toFixedString(unhex({after_trace:String}), 16), toFixedString(unhex({after_span:String}), 8))`
}

function placeParameters(after: Place | null): Record<string, string> {
	return after ? { after_start: after.startNs, after_trace: after.traceId, after_span: after.spanId } : {}
}

async function select(
	store: QueryStore,
	rest: string,
	parameters: Record<string, unknown>,
): Promise<SpanRow[]> {
	const stored = await readStore(() =>
		store.query<StoredSpan>(`SELECT ${storedColumns} FROM spans ${rest}`, parameters),
	)
	return stored.map(toSpanRow)
}

/** Runs a read; a store that cannot be reached is a 503, not a bug. */
export async function readStore<T>(read: () => Promise<T>): Promise<T> {
	try {
		return await read()
	} catch (error) {
		if (!(error instanceof StoreUnavailable)) throw error
		throw new Problem('store_unavailable', 'The telemetry store does not answer.', {
			retryAfterS: 2,
			cause: error,
		})
	}
}
