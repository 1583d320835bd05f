import { StoreUnavailable, type TelemetryStore } from '../../platform/clickhouse/store.ts'
import { Problem } from '../../platform/errors.ts'
import { beginningsBefore, readNewest, type TimeRange } from '../../platform/time-range.ts'
import { fromSpansOfTraces, isFailed, isOneOfIds } from '../columns.ts'
import { traceLinks } from '../rollups/call-joins.ts'
import type { SpanRow } from '../span-row.ts'
import {
	asCounted,
	asksForRequests,
	type Conditions,
	callColumns,
	eachCondition,
	joinsWhere,
} from './attribute-conditions.ts'
import { parseDerivedSession, sessionCondition } from './derived-session.ts'
import {
	byPlace,
	type Place,
	type SpanPage,
	type StoredSpan,
	storedColumns,
	toSpanRow,
	wholePage,
} from './stored-span.ts'

export type QueryStore = Pick<TelemetryStore, 'query'>

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
	/** Tool calls and model calls; `failed`: only those that failed; `counted`: one row for each call, the view that figures count. */
	calls?: 'all' | 'failed' | 'counted' | 'counted_failed'
	/** See `attributeConditions`. */
	attribute?: string[]
	/** The same for columns and attributes. */
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

const isCounted = ({ calls }: SpanFilter) => calls?.startsWith('counted') === true
/** MCP requests other than tool calls are listed only if they are asked for, and then alone, as in Spotlight. */
function callCondition(filter: SpanFilter): string {
	const { calls } = filter
	if (!calls) return ''
	const isHidden = isCounted(filter)
		? ` AND (trace_id, span_id) NOT IN (${joinsWhere('is_hidden != 0')})`
		: ''
	const which = asksForRequests(filter) ? " AND kind = 'mcp'" : isCall
	return `${which}${calls.endsWith('failed') ? ` AND ${isFailed()}` : ''}${isHidden}`
}

/**
 * Otherwise the engine adds a condition of its own for the order, and then no longer answers conditions on attributes by their index: over
 * ten million spans, 1,900 ms instead of 70.
 */
const byIndexAlone = 'SETTINGS use_top_k_dynamic_filtering = 0'

/** A page of the spans of a time range after a position, newest first. */
export async function findSpans(
	store: QueryStore,
	workspaceId: string,
	wanted: { range: TimeRange; filter: SpanFilter; after: Place | null; limit: number },
): Promise<SpanPage> {
	const { range, filter, after, limit } = wanted
	const { sql, parameters } = spanConditions(filter)
	const left = after ? { ...range, endMs: Math.min(range.endMs, msAfter(after.startNs)) } : range
	const read = ({ startMs, endMs }: TimeRange, rest: string, given: object) =>
		select(
			store,
			`FROM spans WHERE workspace_id = {workspace:String}
				AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
				${sql} ${rest}`,
			{ ...parameters, workspace: workspaceId, start: startMs, end: endMs, ...given },
		)
	const newestFirst = `${after ? `AND ${place('<')}` : ''}
		ORDER BY started_at DESC, trace_id DESC, span_id DESC LIMIT {limit:UInt32} ${byIndexAlone}`
	const found = await readNewest(left, limit + 1, (part, rows) =>
		read(part, newestFirst, { limit: rows, ...placeParameters(after) }),
	)
	return wholePage(found, limit, (at) => read(left, `AND ${place('=')}`, placeParameters(at)))
}

/** The first whole millisecond after a time. */
const msAfter = (ns: string) => Number(BigInt(ns) / 1_000_000n) + 1

/** Columns of a call's owner that `call_joins` also has. */
const joinedColumns: ReadonlySet<string> = new Set(['session_id', 'user_id', 'agent_id'])

/**
 * A condition on a column of spans. For calls it also matches those that take the value from an ancestor or from another view, as
 * in Spotlight, because many libraries set it only on the root.
 */
function named(column: string, parameter: string, { calls }: SpanFilter): string {
	const holds = `${column} = {${parameter}:String}`
	if (!calls || !joinedColumns.has(column)) return holds
	if (isCounted({ calls })) return asCounted(holds)
	return `(${holds} OR (trace_id, span_id) IN (${joinsWhere(holds)}))`
}

/** ` AND …` for each condition of a filter on spans, and its parameters in addition to `workspace`, `start` and `end`. */
function spanConditions(filter: SpanFilter): Conditions {
	const names = (Object.keys(filterColumns) as (keyof typeof filterColumns)[]).filter(
		(name) => filter[name] !== undefined,
	)
	const spans = isCounted(filter)
		? { tagged: (holds: string) => `(trace_id, span_id) IN (${joinsWhere(holds)})` }
		: {}
	const asked = [
		...eachCondition(filter.attribute ?? [], { parameter: 'attribute', columns: new Map(), spans }),
		...eachCondition(filter.filter ?? [], { parameter: 'filter', columns: callColumns, spans }),
	]
	const ofAsked = asked.map(({ sql }) => ` AND ${isCounted(filter) ? asCounted(sql) : sql}`)
	const columns = names.map((name) => ` AND ${named(filterColumns[name], name, filter)}`).join('')
	const session = filter.session_id === undefined ? null : sessionOf(filter.session_id, filter)
	return {
		sql: columns + (session ? ` AND ${session.sql}` : '') + callCondition(filter) + ofAsked.join(''),
		parameters: {
			...Object.assign({}, ...asked.map(({ parameters }) => parameters)),
			...Object.fromEntries(names.map((name) => [name, filter[name]])),
			...session?.parameters,
		},
	}
}

function sessionOf(sessionId: string, filter: SpanFilter): Conditions {
	const session = sessionCondition(sessionId)
	const isDerived = parseDerivedSession(sessionId) !== null
	return isDerived ? session : { ...session, sql: named('session_id', 'session_id', filter) }
}

/**
 * A trace is in a granule or two. Applying the index before the other columns are prepared takes 30 ms of processor time instead of
 * 43.
 */
const skippingFirst = 'SETTINGS use_skip_indexes_on_data_read = 0'

/** A page of the spans of traces after a position, oldest first. Ids are 32 hex digits. */
export async function findTrace(
	store: QueryStore,
	workspaceId: string,
	{ traceIds, after, limit }: { traceIds: readonly string[]; after: Place | null; limit: number },
): Promise<SpanPage> {
	const read = (rest: string, at: Place | null) =>
		select(store, `${fromSpansOfTraces} ${rest}`, {
			...{ workspace: workspaceId, traces: [...traceIds], limit: limit + 1, ...placeParameters(at) },
		})
	// Planning an ORDER BY of so many columns costs more than sorting the spans of most traces here.
	const some = after ? [] : await read(`LIMIT {limit:UInt32} ${skippingFirst}`, null)
	if (!after && some.length <= limit) return { rows: some.sort(byPlace), hasMore: false }
	const rest = `${after ? `AND ${place('>')}` : ''} ORDER BY started_at, trace_id, span_id LIMIT {limit:UInt32}`
	return wholePage(await read(rest, after), limit, (at) => read(`AND ${place('=')}`, at))
}

type Side = '<' | '=' | '>'

/** Rows at the position or on one side of it. The separate condition on the time lets the engine skip granules. */
function place(side: Side): string {
	const orAt = side === '=' ? '=' : `${side}=`
	return `started_at ${orAt} fromUnixTimestamp64Nano({after_start:Int64}, 'UTC') AND (started_at, trace_id, span_id) ${side} (fromUnixTimestamp64Nano({after_start:Int64}, 'UTC'), toFixedString(unhex({after_trace:String}), 16), toFixedString(unhex({after_span:String}), 8))`
}

function placeParameters(after: Place | null): Record<string, string> {
	return after ? { after_start: after.startNs, after_trace: after.traceId, after_span: after.spanId } : {}
}

async function select(
	store: QueryStore,
	rest: string,
	parameters: Record<string, unknown>,
): Promise<SpanRow[]> {
	const stored = await readStore(() => store.query<StoredSpan>(`SELECT ${storedColumns} ${rest}`, parameters))
	return stored.map(toSpanRow)
}

/** Runs a read. A store that cannot be reached is a 503, not an internal error. */
export async function readStore<T>(read: () => Promise<T>): Promise<T> {
	try {
		return await read()
	} catch (error) {
		if (!(error instanceof StoreUnavailable)) throw error
		throw new Problem('store_unavailable', error.message, {
			retryAfterS: 2,
			cause: error,
		})
	}
}

/** A row as the store returns it: 64-bit numbers are text. */
export interface StoredTrace {
	trace: string
	name: string
	first_ns: string
	end_ns: string
	spans: string
	errors: string
	services: string[]
	session: string
	user: string
}

/** A position in a list of traces by their first span in the range. */
export interface TracePlace {
	firstNs: string
	traceId: string
}

/** Maximum number of sessions per trace. */
export const maxSessions = 10

interface BesideTrace {
	isLinked: boolean
	hasScores: boolean
	/** Sessions with a model call in the trace. */
	sessions: string[]
}

/**
 * What other tables have about a trace, in one statement: usually there is nothing, and planning a statement for each would be most
 * of the work. Scores are events of that name.
 */
export async function findBesideTrace(
	store: QueryStore,
	workspaceId: string,
	traceId: string,
	scoreEvent: string,
): Promise<BesideTrace> {
	const ofTrace =
		'WHERE workspace_id = {workspace:String} AND trace_id = toFixedString(unhex({trace:String}), 16)'
	const found = await readStore(() =>
		store.query<{ what: 'link' | 'score' | 'session'; name: string }>(
			`(SELECT 'link' AS what, '' AS name FROM ${traceLinks} ${ofTrace} LIMIT 1)
			UNION ALL (SELECT 'score', '' FROM logs ${ofTrace} AND event_name = {event:String} LIMIT 1)
			UNION ALL (SELECT DISTINCT 'session', session_id FROM exchanges ${ofTrace} AND session_id != '' ORDER BY session_id LIMIT ${maxSessions})`,
			{ workspace: workspaceId, trace: traceId, event: scoreEvent },
		),
	)
	return {
		isLinked: found.some(({ what }) => what === 'link'),
		hasScores: found.some(({ what }) => what === 'score'),
		sessions: found.filter(({ what }) => what === 'session').map(({ name }) => name),
	}
}

/** A trace that is linked to more others than this is shown in parts. */
const maxLinked = 200
const maxRounds = 8

/**
 * For each of these traces that is linked to others, the ids of all of them including itself, as 32 lower-case hex digits. Traces
 * without links are absent.
 */
export async function findLinkedTraces(
	store: QueryStore,
	workspaceId: string,
	traceIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
	const links = new Map<string, readonly string[]>()
	let open = traceIds
	for (
		let round = 0;
		open.length > 0 && round < maxRounds && links.size < maxLinked * traceIds.length;
		round++
	) {
		const asked = open
		const rows = await readStore(() =>
			store.query<{ trace: string; linked: string[] }>(
				`SELECT lower(hex(trace_id)) AS trace, arraySort(groupUniqArray(${maxLinked})(lower(hex(linked_trace)))) AS linked FROM ${traceLinks}
				WHERE workspace_id = {workspace:String} AND ${isOneOfIds('trace_id', 'traces')} GROUP BY trace_id`,
				{ workspace: workspaceId, traces: [...asked] },
			),
		)
		for (const { trace, linked } of rows) links.set(trace, linked)
		open = [...new Set(rows.flatMap(({ linked }) => linked))].filter((trace) => !links.has(trace))
	}
	return new Map(
		traceIds.filter((trace) => links.has(trace)).map((trace) => [trace, reachedFrom(trace, links)]),
	)
}

function reachedFrom(trace: string, links: ReadonlyMap<string, readonly string[]>): string[] {
	const found = new Set([trace])
	for (const one of found)
		for (const other of links.get(one) ?? []) if (found.size < maxLinked) found.add(other)
	return [...found].sort()
}

interface WantedTraces {
	range: TimeRange
	filter: SpanFilter
	after: TracePlace | null
	limit: number
	among?: readonly string[]
}

/** How many of the newest traces may have begun before the part of the range that is searched. */
const spareTraces = 20

/** Traces with a matching span in the range, by their first span in the range, newest first. `among`: only these traces. */
export async function findTraces(
	store: QueryStore,
	workspaceId: string,
	wanted: WantedTraces,
): Promise<StoredTrace[]> {
	const { range, after, limit, among } = wanted
	if (among) return selectTraces(store, workspaceId, wanted)
	const left = after ? { ...range, endMs: Math.min(range.endMs, msAfter(after.firstNs)) } : range
	for (const startMs of beginningsBefore(left).slice(0, -1)) {
		const part = { ...wanted, range: { ...range, startMs }, limit: limit + spareTraces }
		const found = await selectTraces(store, workspaceId, part)
		if (found.length < limit) continue
		const before = await findBegun(store, workspaceId, found, { startMs: range.startMs, endMs: startMs })
		const shown = found.filter(({ trace }) => !before.has(trace))
		if (shown.length >= limit) return shown.slice(0, limit)
	}
	return selectTraces(store, workspaceId, wanted)
}

/** Which of some traces have spans in a range. */
async function findBegun(
	store: QueryStore,
	workspaceId: string,
	traces: readonly StoredTrace[],
	{ startMs, endMs }: TimeRange,
): Promise<Set<string>> {
	const rows = await readStore(() =>
		store.query<{ trace: string }>(
			`SELECT DISTINCT lower(hex(trace_id)) AS trace ${fromSpansOfTraces}
				AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`,
			{
				...{ workspace: workspaceId, traces: traces.map(({ trace }) => trace) },
				...{ start: startMs, end: endMs },
			},
		),
	)
	return new Set(rows.map(({ trace }) => trace))
}

/** The same for the complete range at once. */
function selectTraces(store: QueryStore, workspaceId: string, wanted: WantedTraces): Promise<StoredTrace[]> {
	const { range, filter, after, limit, among } = wanted
	const { sql, parameters } = spanConditions(filter)
	const ids = among ? `AND ${isOneOfIds('trace_id', 'among')}` : ''
	const inRange = `workspace_id = {workspace:String} ${ids}
		AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
	return readStore(() =>
		store.query<StoredTrace>(
			`SELECT lower(hex(trace_id)) AS trace, argMin(name, (parent_span_id != toFixedString('', 8), started_at)) AS name,
				toString(toUnixTimestamp64Nano(min(started_at) AS first)) AS first_ns,
				toString(max(toUnixTimestamp64Nano(started_at) + toInt64(duration_ns))) AS end_ns, count() AS spans,
				countIf(${isFailed()}) AS errors,
				arraySort(groupUniqArrayIf(20)(service_name, service_name != '')) AS services,
				anyIf(session_id, session_id != '') AS session, anyIf(user_id, user_id != '') AS user
			FROM spans WHERE ${inRange}
				${sql === '' ? '' : `AND trace_id IN (SELECT trace_id FROM spans WHERE ${inRange} ${sql})`}
			GROUP BY trace_id ${after ? `HAVING (first, trace_id) < (fromUnixTimestamp64Nano({after_first:Int64}, 'UTC'), toFixedString(unhex({after_trace:String}), 16))` : ''}
			ORDER BY first DESC, trace_id DESC LIMIT {limit:UInt32}`,
			{
				...parameters,
				workspace: workspaceId,
				start: range.startMs,
				end: range.endMs,
				limit,
				...(among && { among: [...among] }),
				...(after && { after_first: after.firstNs, after_trace: after.traceId }),
			},
		),
	)
}
