import type { TelemetryStore } from '../platform/clickhouse/index.ts'
import type { TimeRange } from '../platform/time-range.ts'
import { readStore } from '../telemetry/index.ts'
import { fromCountedCalls, inRange, isError, rangeParameters, withHidden } from './counted-calls.ts'

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
}

/** A call without an outcome has no duration, so it is left out of the quantiles. */
const timed = "status != 'interrupted'"

export async function sumCalls(store: QueryStore, workspaceId: string, range: TimeRange): Promise<CallSums> {
	const [sums] = await readStore(() =>
		store.query<CallSums>(
			`${withHidden} SELECT count() AS calls, countIf(${isError}) AS errors, countIf(kind = 'tool_call') AS tool_calls,
				countIf(${timed}) AS timed, quantilesExactIf(0.5, 0.95, 0.99)(duration_ns, ${timed}) AS quantiles_ns,
				sum(input_tokens) AS input, sum(cache_read_tokens) AS cache_read, sum(cache_write_tokens) AS cache_write,
				sum(output_tokens) AS output, sum(reasoning_tokens) AS reasoning,
				toString(sum(spans.cost_nano_usd)) AS cost_nano_usd,
				countIf(kind = 'model_call' AND isNull(spans.cost_nano_usd)) AS unpriced_calls
			${fromCountedCalls}`,
			rangeParameters(workspaceId, range),
		),
	)
	return sums as CallSums
}

export async function countVisitors(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
): Promise<Visitors> {
	const [visitors] = await readStore(() =>
		store.query<Visitors>(
			`SELECT uniqExactIf(session_id, session_id != '') AS sessions, uniqExactIf(user_id, user_id != '') AS users
			FROM spans WHERE ${inRange}`,
			rangeParameters(workspaceId, range),
		),
	)
	return visitors as Visitors
}

/** Buckets with calls in them, by their number from the start of the range. */
export function sumBuckets(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	intervalMs: number,
): Promise<BucketSums[]> {
	return readStore(() =>
		store.query<BucketSums>(
			`${withHidden} SELECT intDiv(toUnixTimestamp64Milli(started_at) - {start:Int64}, {interval:Int64}) AS bucket,
				count() AS calls, countIf(${isError}) AS errors, countIf(kind = 'tool_call') AS tool_calls
			${fromCountedCalls} GROUP BY bucket ORDER BY bucket`,
			{ ...rangeParameters(workspaceId, range), interval: intervalMs },
		),
	)
}
