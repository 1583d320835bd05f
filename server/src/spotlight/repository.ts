import type { TelemetryStore } from '../platform/clickhouse/index.ts'
import type { TimeRange } from '../platform/time-range.ts'
import { readStore } from '../telemetry/index.ts'
import { type CallFilter, filterSql } from './call-filter.ts'
import { callSource, type Source, visitorSource } from './call-source.ts'
import { inStretches, isError, stretchParameters } from './counted-calls.ts'

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

export interface BucketSums {
	bucket: string
	calls: string
	errors: string
	tool_calls: string
	cost_nano_usd: string
}

/** A call without an outcome has no duration, so it is left out of the quantiles. */
const timed = "status != 'interrupted'"

/** The figures of a set of counted calls. */
const sums = `count() AS calls, countIf(${isError}) AS errors, countIf(kind = 'tool_call') AS tool_calls,
	countIf(${timed}) AS timed, quantilesExactIf(0.5, 0.95, 0.99)(duration_ns, ${timed}) AS quantiles_ns,
	sum(input_tokens) AS input, sum(cache_read_tokens) AS cache_read, sum(cache_write_tokens) AS cache_write,
	sum(output_tokens) AS output, sum(reasoning_tokens) AS reasoning,
	toString(sum(spans.cost_nano_usd)) AS cost_nano_usd,
	countIf(kind = 'model_call' AND isNull(spans.cost_nano_usd)) AS unpriced_calls`
const visitors =
	"uniqExactIf(session_id, session_id != '') AS sessions, uniqExactIf(user_id, user_id != '') AS users"

export async function sumCalls(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
): Promise<CallSums> {
	const { sql, parameters } = filterSql(filter)
	const source = await callSource(store, workspaceId, range)
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
	const source = sql === '' ? await visitorSource(store, workspaceId, range) : spansOf(workspaceId, range)
	const [found] = await readStore(() =>
		store.query<Visitors>(`SELECT ${visitors} ${source.from} WHERE 1${sql}`, {
			...source.parameters,
			...parameters,
		}),
	)
	return found as Visitors
}

function spansOf(workspaceId: string, range: TimeRange): Source {
	return {
		from: `FROM (SELECT * FROM spans WHERE ${inStretches(1)}) AS spans`,
		parameters: stretchParameters(workspaceId, [range]),
	}
}

/** Sums of the calls that have the same key; the key's own columns come beside them. */
export type GroupSums = CallSums &
	Visitors & { first_ms: string; last_ms: string; groups: string } & Record<string, string>

/** How calls are put together: columns to group by, and what else is shown of each group. */
export interface Grouping {
	by: Readonly<Record<string, string>>
	shown: Readonly<Record<string, string>>
	/** Which calls have such a key at all. */
	where: string
}

export interface GroupOrder {
	/** An expression over the sums, largest first. */
	sort: string
	limit: number
}

/** The largest groups; each row says how many there are in all. */
export async function sumGroups(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ by, shown, where }: Grouping,
	{ filter, sort, limit }: GroupOrder & { filter: CallFilter },
): Promise<GroupSums[]> {
	const { sql, parameters } = filterSql(filter)
	const columns = Object.entries({ ...by, ...shown }).map(([name, expression]) => `${expression} AS ${name}`)
	const seen = `toString(toUnixTimestamp64Milli(min(started_at))) AS first_ms,
		toString(toUnixTimestamp64Milli(max(started_at))) AS last_ms`
	const keys = Object.keys(by).join(', ')
	const source = await callSource(store, workspaceId, range)
	return readStore(() =>
		store.query<GroupSums>(
			`SELECT ${columns.join(', ')}, ${sums}, ${visitors}, ${seen}, count() OVER () AS groups
			${source.from} WHERE ${where}${sql}
			GROUP BY ${keys} ORDER BY ${sort} DESC, ${keys} LIMIT {limit:UInt32}`,
			{ ...source.parameters, ...parameters, limit },
		),
	)
}

/** Buckets with calls in them, by their number from the start of the range. */
export async function sumBuckets(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	intervalMs: number,
	filter: CallFilter = {},
): Promise<BucketSums[]> {
	const { sql, parameters } = filterSql(filter)
	const source = await callSource(store, workspaceId, range)
	return readStore(() =>
		store.query<BucketSums>(
			`SELECT intDiv(toUnixTimestamp64Milli(started_at) - {start:Int64}, {interval:Int64}) AS bucket,
				count() AS calls, countIf(${isError}) AS errors, countIf(kind = 'tool_call') AS tool_calls,
				toString(ifNull(sum(spans.cost_nano_usd), 0)) AS cost_nano_usd
			${source.from} WHERE 1${sql} GROUP BY bucket ORDER BY bucket`,
			{ ...source.parameters, ...parameters, start: range.startMs, interval: intervalMs },
		),
	)
}
