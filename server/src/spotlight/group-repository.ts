import type { TimeRange } from '../platform/time-range.ts'
import { readStore } from '../telemetry/index.ts'
import { type CallFilter, filterSql } from './call-filter.ts'
import { isError } from './counted-calls.ts'
import type { GroupBy } from './group-by.ts'
import {
	type CallSums,
	needsOf,
	type QueryStore,
	type SourceNeeds,
	sourceFor,
	sums,
	type Visitors,
	visitors,
} from './repository.ts'

/** Sums of the calls that have the same key; the key's own columns come beside them. */
export type GroupSums = CallSums &
	Visitors & {
		first_ms: string
		last_ms: string
		groups: string
		/** Its place in the order, from 1; in comparisons that of the pair. */
		place: string
	} & Record<string, string> & {
		/** 0: of the range before. */
		is_now: number
	}

/** How calls are put together: columns to group by, and what else is shown of each group. */
export interface Grouping {
	by: Readonly<Record<string, string>>
	shown: Readonly<Record<string, string>>
	/** Which calls have such a key at all. */
	where: string
}

/** What the largest are, by a number over the sums of a group. */
export interface GroupOrder {
	by: string
	/** By how much it changed since the range before, up or down. */
	isChange: boolean
	limit: number
}

export interface GroupQuestion {
	filter: CallFilter
	groupBy: GroupBy
	order: GroupOrder
	/** Also the same groups of the range before, which is as long. */
	compare: boolean
}

const seen = `toString(toUnixTimestamp64Milli(min(started_at))) AS first_ms,
	toString(toUnixTimestamp64Milli(max(started_at))) AS last_ms`

/** The largest groups, in their order; each row says how many there are in all. */
export async function sumGroups(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ by, shown, where }: Grouping,
	{ filter, groupBy, order, compare }: GroupQuestion,
): Promise<GroupSums[]> {
	const { sql, parameters } = filterSql(filter)
	const all = { ...by, ...groupBy.by }
	const keys = Object.keys(all).join(', ') || "''"
	const columns = Object.entries({ ...all, ...shown }).map(
		([name, expression]) => `${expression} AS ${name}, `,
	)
	const isNow = compare ? `toUInt8(toUnixTimestamp64Milli(started_at) >= {split:Int64})` : 'toUInt8(1)'
	const read = compare ? { ...range, startMs: 2 * range.startMs - range.endMs } : range
	const source = await sourceFor(store, workspaceId, read, needsOfGroups(filter, groupBy, all))
	const grouped = `SELECT ${columns.join('')}${isNow} AS is_now, toFloat64(${order.by}) AS sorted, ${sums}, ${visitors}, ${seen}
		${source.from} WHERE ${where}${sql} GROUP BY ${keys}, is_now`
	return readStore(() =>
		store.query<GroupSums>(
			`SELECT *, max(place) OVER () AS groups FROM (${placed(grouped, keys, order)})
			ORDER BY place, is_now DESC LIMIT {rows:UInt32}`,
			{
				...source.parameters,
				...groupBy.parameters,
				...parameters,
				split: range.startMs,
				rows: order.limit * (compare ? 2 : 1),
			},
		),
	)
}

function needsOfGroups(filter: CallFilter, groupBy: GroupBy, by: Grouping['by']): SourceNeeds {
	const { spans, sessions } = needsOf(filter)
	return {
		spans: spans || groupBy.needsSpans,
		sessions: sessions || Object.values(by).includes('session_id'),
	}
}

/** Groups with their places. Of a comparison, those of the range before alone have one only where changes are looked for. */
function placed(grouped: string, keys: string, { isChange }: GroupOrder): string {
	const pair = `OVER (PARTITION BY ${keys})`
	const now = `sumIf(sorted, is_now = 1) ${pair}`
	const value = isChange ? `abs(${now} - sumIf(sorted, is_now = 0) ${pair})` : now
	return `SELECT *, dense_rank() OVER (ORDER BY ranked DESC, ${keys}) AS place
		FROM (SELECT *, ${value} AS ranked, countIf(is_now = 1) ${pair} AS now_rows FROM (${grouped}))
		${isChange ? '' : 'WHERE now_rows > 0'}`
}

export interface BucketSums extends Record<string, string> {
	bucket: string
	calls: string
	errors: string
	tool_calls: string
	cost_nano_usd: string
}

export interface BucketQuestion {
	intervalMs: number
	filter: CallFilter
	groupBy: GroupBy
	/** Of the groups with the most calls. */
	limit: number
}

/** Buckets with calls in them, by their number from the start of the range, of the groups with the most calls. */
export async function sumBuckets(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ intervalMs, filter, groupBy, limit }: BucketQuestion,
): Promise<BucketSums[]> {
	const { sql, parameters } = filterSql(filter)
	const source = await sourceFor(store, workspaceId, range, needsOfGroups(filter, groupBy, groupBy.by))
	const keys = Object.keys(groupBy.by).join(', ') || "''"
	const columns = Object.entries(groupBy.by).map(([name, expression]) => `${expression} AS ${name}, `)
	return readStore(() =>
		store.query<BucketSums>(
			`SELECT * EXCEPT (of_group) FROM (SELECT *, dense_rank() OVER (ORDER BY of_group DESC, ${keys}) AS place FROM (
				SELECT *, sum(calls) OVER (PARTITION BY ${keys}) AS of_group FROM (
					SELECT ${columns.join('')}intDiv(toUnixTimestamp64Milli(started_at) - {start:Int64}, {interval:Int64}) AS bucket,
						count() AS calls, countIf(${isError}) AS errors, countIf(kind = 'tool_call') AS tool_calls,
						toString(ifNull(sum(spans.cost_nano_usd), 0)) AS cost_nano_usd
					${source.from} WHERE 1${sql} GROUP BY ${keys === "''" ? '' : `${keys}, `}bucket)))
			WHERE place <= {series:UInt32} ORDER BY place, bucket`,
			{
				...source.parameters,
				...groupBy.parameters,
				...parameters,
				start: range.startMs,
				interval: intervalMs,
				series: limit,
			},
		),
	)
}
