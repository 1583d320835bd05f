import type { TelemetryStore } from '../platform/clickhouse/index.ts'
import type { TimeRange } from '../platform/time-range.ts'
import { readStore } from '../telemetry/index.ts'
import { type CallFilter, filterNeedsSpans, filterSql } from './call-filter.ts'
import { callSource, type Source, spanSource, visitorSource } from './call-source.ts'
import { inStretches, isError, stretchParameters } from './counted-calls.ts'
import { isDerived, withBeginnings, withDerivedSessions } from './derived-sessions.ts'

export type QueryStore = Pick<TelemetryStore, 'query'>

/** Sums over the counted calls; 64-bit numbers as text. */
export interface CallSums {
	calls: string
	errors: string
	tool_calls: string
	timed: string
	quantiles_ns: string[]
	input: string
	cache_read: string
	cache_write: string
	output: string
	reasoning: string
	cost_nano_usd: string
	unpriced_calls: string
}

export interface Visitors {
	sessions: string
	users: string
}

/** A call without an outcome has no duration, so it is left out of the quantiles. */
const timed = "status != 'interrupted'"

/** The figures of a set of counted calls. */
export const sums = `count() AS calls, countIf(${isError}) AS errors, countIf(kind = 'tool_call') AS tool_calls,
	countIf(${timed}) AS timed, quantilesExactIf(0.5, 0.95, 0.99)(duration_ns, ${timed}) AS quantiles_ns,
	sum(input_tokens) AS input, sum(cache_read_tokens) AS cache_read, sum(cache_write_tokens) AS cache_write,
	sum(output_tokens) AS output, sum(reasoning_tokens) AS reasoning,
	toString(sum(spans.cost_nano_usd)) AS cost_nano_usd,
	countIf(kind = 'model_call' AND isNull(spans.cost_nano_usd)) AS unpriced_calls`
export const visitors =
	"uniqExactIf(session_id, session_id != '') AS sessions, uniqExactIf(user_id, user_id != '') AS users"

export async function sumCalls(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
): Promise<CallSums> {
	const { sql, parameters } = filterSql(filter)
	const source = await sourceFor(store, workspaceId, range, needsOf(filter))
	const [found] = await readStore(() =>
		store.query<CallSums>(`SELECT ${sums} ${source.from} WHERE 1${sql}`, {
			...source.parameters,
			...parameters,
		}),
	)
	return found as CallSums
}

/** Sessions and users of whatever was recorded; the rollup knows no more of it than who it was. */
export async function countVisitors(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
): Promise<Visitors> {
	const { sql, parameters } = filterSql(filter)
	const source = await visitorsFor(store, workspaceId, range, filter)
	const [found] = await readStore(() =>
		store.query<Visitors>(`SELECT ${visitors} ${source.from} WHERE 1${sql}`, {
			...source.parameters,
			...parameters,
		}),
	)
	return found as Visitors
}

function visitorsFor(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter,
): Promise<Source> | Source {
	if (isDerived(filter.session)) return sourceFor(store, workspaceId, range, needsOf(filter))
	return filterSql(filter).sql === '' ? visitorSource(store, workspaceId, range) : spansOf(workspaceId, range)
}

function spansOf(workspaceId: string, range: TimeRange): Source {
	return {
		from: `FROM (SELECT * FROM spans WHERE ${inStretches(1)}) AS spans`,
		parameters: stretchParameters(workspaceId, [range]),
	}
}

/** What a question needs of its calls beyond what the rollup has. */
export interface SourceNeeds {
	/** Attributes, and columns that only spans have. */
	spans: boolean
	/** Sessions of callers that named none. */
	sessions: boolean
}

export function needsOf(filter: CallFilter): SourceNeeds {
	return { spans: filterNeedsSpans(filter), sessions: isDerived(filter.session) }
}

/** Where the calls of a range are read from. */
export async function sourceFor(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	needs: SourceNeeds,
): Promise<Source> {
	const read = needs.sessions ? withBeginnings(range) : range
	const source = await (needs.spans ? spanSource : callSource)(store, workspaceId, read)
	return needs.sessions ? withDerivedSessions(source, range) : source
}
