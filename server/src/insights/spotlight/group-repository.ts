import type { TimeRange } from '../../platform/time-range.ts'
import { exceptionsWithoutMessage, fromSpansOfTraces, needsSpans, readStore } from '../../telemetry/index.ts'
import {
	type CallFilter,
	fieldConditions,
	filterSql,
	type GroupBy,
	isIndexed,
	separateFields,
} from './call-filter.ts'
import {
	asksForFailures,
	type CallNeeds,
	type CallSums,
	type CallsRead,
	narrow,
	needsOf,
	onSingleCalls,
	readCalls,
	type Visitors,
} from './call-sums-repository.ts'
import { type NarrowSource, type QueryStore, statementFrom } from './counted-calls.ts'
import { planQuery } from './rollups/plan-query.ts'
import { type CleanHour, hourMs, type KeptBuckets } from './rollups/plan-reads.ts'
import { everySpan } from './span-source.ts'

/** Sums of the calls with the same key, together with the key's columns. */
export type GroupSums = CallSums &
	Visitors & {
		first_ms: string
		last_ms: string
		end_ms?: string
		groups: string
		/** In comparisons: the rank of the pair, from 1. */
		place?: string
	} & Record<string, string> & {
		/** 0: of the previous range. */
		is_now: number
	}

/** How calls are grouped: the columns to group by, and what else is shown of each group. */
export interface Grouping {
	by: Readonly<Record<string, string>>
	shown: Readonly<Record<string, string>>
	/** A condition on calls that have such a key. */
	where: string
	/** Groups MCP requests other than tool calls, instead of calls. */
	requests?: true
	/** Only failed calls. */
	failed?: true
	/** Whether to also return when their last call ended, as `end_ms`. */
	ended?: true
	/** Set if there may be very many groups: the figures are then computed only for those that are shown, in a second query. */
	many?: true
}

/** The sort order: a number computed from the sums of a group. */
export interface GroupOrder {
	by: string
	/** Whether to sort by the size of its change since the previous range, up or down. */
	isChange: boolean
	limit: number
}

export interface GroupQuery {
	filter: CallFilter
	groupBy: GroupBy
	order: GroupOrder
	/** Whether to include the same groups of the previous range of the same length. */
	compare: boolean
}

/** The largest groups in order. Each row has the total number of groups. */
export async function sumGroups(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ by, shown, where, requests, failed, many, ended }: Grouping,
	{ filter, groupBy, order, compare }: GroupQuery,
): Promise<GroupSums[]> {
	const { sql, parameters } = filterSql(filter)
	const all = { ...by, ...groupBy.by }
	const read = compare ? { ...range, startMs: 2 * range.startMs - range.endMs } : range
	const asked = needsOfGroups(filter, groupBy, { ...all, where })
	const needs = {
		...asked,
		filter,
		requests: requests ?? asked.requests === true,
		failed: failed ?? asksForFailures(filter),
		splitMs: range.startMs,
	}
	const calls = await readCalls(store, workspaceId, read, needs)
	const grouped = groupedSql(
		calls,
		{ by: all, shown, where: `${where}${calls.left ?? sql}` },
		{ order, compare, ended: ended === true },
	)
	const values = {
		...{ ...calls.parameters, ...groupBy.parameters, ...parameters },
		...{ split: range.startMs, rows: order.limit * (compare ? 2 : 1) },
	}
	const [key, ...otherKeys] = Object.keys(all)
	if (many && !compare && key && otherKeys.length === 0) return sumLargest(store, grouped, key, values)
	const keys = keysOf(all)
	const ordered = compare ? placed(grouped, keys, order) : largest(grouped, keys)
	return readStore(() => store.query<GroupSums>(ordered, values))
}

const keysOf = (by: Grouping['by']) => Object.keys(by).join(', ') || "''"

/** A SELECT of every group with its figures and `sorted`, the number by which it is sorted. */
function groupedSql(
	calls: CallsRead,
	{ by, shown, where }: Grouping,
	{ order, compare, ended }: Pick<GroupQuery, 'order' | 'compare'> & { ended: boolean },
): string {
	const columns = Object.entries({ ...by, ...shown }).map(
		([name, expression]) => `${expression} AS ${name}, `,
	)
	// Rows of an older program may lack it.
	const end = ended
		? `, toString(intDiv(greatest(max(${calls.end}), max(toUnixTimestamp64Nano(started_at))), 1000000)) AS end_ms`
		: ''
	const isNow = compare ? `toUInt8(toUnixTimestamp64Milli(started_at) >= {split:Int64})` : 'toUInt8(1)'
	return statementFrom(
		calls,
		(
			from,
		) => `SELECT ${columns.join('')}${isNow} AS is_now, toFloat64(${order.by}) AS sorted, ${calls.sums}, ${calls.visitors},
		toString(toUnixTimestamp64Milli(min(${calls.first}))) AS first_ms, toString(toUnixTimestamp64Milli(max(started_at))) AS last_ms${end}
		${from} WHERE ${where} GROUP BY ${keysOf(by)}${compare ? ', is_now' : ''}`,
	)
}

/** The keys of the largest groups only; the engine omits columns that are not used. */
async function sumLargest(
	store: QueryStore,
	grouped: string,
	key: string,
	parameters: Record<string, unknown>,
): Promise<GroupSums[]> {
	const found = await readStore(() =>
		store.query<{ key: string; groups: string }>(
			`SELECT ${key} AS key, groups FROM (${largest(`SELECT ${key}, sorted FROM (${grouped})`, key)})`,
			parameters,
		),
	)
	const sums = await readStore(() =>
		store.query<GroupSums>(`SELECT * FROM (${grouped}) WHERE ${key} IN {keys:Array(String)}`, {
			...parameters,
			keys: found.map((row) => row.key),
		}),
	)
	const byKey = new Map(sums.map((sum) => [sum[key], sum]))
	return found.flatMap((row) => {
		const sum = byKey.get(row.key)
		return sum ? [{ ...sum, groups: row.groups } as GroupSums] : []
	})
}

function needsOfGroups(filter: CallFilter, groupBy: GroupBy, named: Grouping['by']): CallNeeds {
	const { spans, requests, sessions, names, indexed } = needsOf(filter)
	return {
		requests: requests === true,
		spans: spans || groupBy.needsSpans,
		indexed: indexed === true && !groupBy.needsSpans,
		sessions: sessions || Object.values(named).includes('session_id'),
		names: [...names, ...Object.values(named)],
	}
}

/** Without a comparison no matching group is searched, because a window over very many groups would be expensive. */
function largest(grouped: string, keys: string): string {
	return `SELECT *, count() OVER () AS groups FROM (${grouped}) ORDER BY sorted DESC, ${keys} LIMIT {rows:UInt32}`
}

/** Groups with their ranks. In a comparison, groups that exist only in the previous range are ranked only when sorting by change. */
function placed(grouped: string, keys: string, { isChange }: GroupOrder): string {
	const pair = `OVER (PARTITION BY ${keys})`
	const now = `sumIf(sorted, is_now = 1) ${pair}`
	const value = isChange ? `abs(${now} - sumIf(sorted, is_now = 0) ${pair})` : now
	return `SELECT *, max(place) OVER () AS groups FROM (
		SELECT *, dense_rank() OVER (ORDER BY ranked DESC, ${keys}) AS place
		FROM (SELECT *, ${value} AS ranked, countIf(is_now = 1) ${pair} AS now_rows FROM (${grouped}))
		${isChange ? '' : 'WHERE now_rows > 0'})
	ORDER BY place, is_now DESC LIMIT {rows:UInt32}`
}

/** Sums of the calls of a bucket, together with the keys of its group. */
export type BucketSums = CallSums & { bucket: string; place: string } & Record<string, string>

export interface BucketQuery {
	/** Start of the first bucket: the start of the range, or earlier. It need not be a whole interval of the clock. */
	originMs: number
	intervalMs: number
	filter: CallFilter
	groupBy: GroupBy
	/** Maximum number of groups, those with the most calls. */
	limit: number
}

/** Buckets with calls, by their number from the origin, of the groups with the most calls. */
export async function sumBuckets(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	query: BucketQuery,
): Promise<BucketSums[]> {
	const { originMs, intervalMs, filter, groupBy } = query
	const needs = needsOfGroups(filter, groupBy, groupBy.by)
	const isOfRolls = !needs.requests && !needs.sessions && (!needs.spans || needs.indexed === true)
	const kept = store.keptBuckets as KeptBuckets<BucketSums> | undefined
	if (!kept || !isOfRolls || Object.keys(groupBy.by).length > 0)
		return readBuckets(store, workspaceId, range, query, needs)
	const sharing = { ...store, knownRolls: store.knownRolls ?? new Map() }
	const asked = needs.spans ? { complete: true } : {}
	const plan = await planQuery(sharing, workspaceId, range, [], asked)
	const key = JSON.stringify([workspaceId, intervalMs, filter])
	const left = kept.of(key, range, { originMs, intervalMs }, plan)
	const isRead = (hour: CleanHour) => left.isRead(hour)
	const rows = await readBuckets(sharing, workspaceId, range, query, { ...needs, isRead })
	const startOf = ({ bucket }: BucketSums) => originMs + Number(bucket) * intervalMs
	const all = left.complete(new Map(rows.map((row) => [startOf(row), row])))
	const placed = (row: BucketSums, startMs: number): BucketSums =>
		Object.assign({}, row, { bucket: String((startMs - originMs) / intervalMs) })
	return [...all].map(([startMs, row]) => placed(row, startMs))
}

async function readBuckets(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ originMs, intervalMs, filter, groupBy, limit }: BucketQuery,
	needs: CallNeeds,
): Promise<BucketSums[]> {
	const { sql, parameters } = filterSql(filter)
	// Sums of an hour can be read only if no hour is in two buckets.
	const single = intervalMs % hourMs !== 0 || originMs % hourMs !== 0
	const calls = await readCalls(store, workspaceId, range, {
		...{ ...needs, filter, single },
		failed: asksForFailures(filter),
	})
	const keys = Object.keys(groupBy.by).join(', ') || "''"
	const columns = Object.entries(groupBy.by).map(([name, expression]) => `${expression} AS ${name}, `)
	return readStore(() =>
		store.query<BucketSums>(
			statementFrom(
				calls,
				(
					from,
				) => `SELECT * EXCEPT (of_group) FROM (SELECT *, dense_rank() OVER (ORDER BY of_group DESC, ${keys}) AS place FROM (
				SELECT *, sum(calls) OVER (PARTITION BY ${keys}) AS of_group FROM (
					SELECT ${columns.join('')}intDiv(toUnixTimestamp64Milli(started_at) - {start:Int64}, {interval:Int64}) AS bucket, ${calls.sums}
					${from} WHERE 1${calls.left ?? sql} GROUP BY ${keys === "''" ? '' : `${keys}, `}bucket)))
			WHERE place <= {series:UInt32} ORDER BY place, bucket`,
			),
			{
				...calls.parameters,
				...groupBy.parameters,
				...parameters,
				start: originMs,
				interval: intervalMs,
				series: limit,
			},
		),
	)
}

/** A field or attribute whose values are counted, with its index among the requested ones. */
export interface FacetField {
	at: number
	field: string
	/** The value of a row, and the label that is shown for it. */
	value: string
	label: string
}

export interface FacetQuery {
	/** What is counted. */
	of: 'calls' | 'sessions' | 'spans'
	filter: CallFilter
	/** Parameters of the `value` expressions. */
	parameters: Record<string, unknown>
	limit: number
	/** Whether there are sums by these fields: they are then grouped before they are unfolded, which leaves fewer rows. */
	isOfSums: boolean
}

interface StoredFacetValue {
	at: string
	value: string
	label: string
	count: string
	errors: string
	values: string
}

/** The values of some fields, each under the conditions on the others, in one statement. */
export async function countValues(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	fields: readonly FacetField[],
	{ of, limit, filter, parameters, isOfSums }: FacetQuery,
): Promise<StoredFacetValue[]> {
	const names = fields.map(({ field }) => field)
	const { all, others: common } = separateFields(filter, names)
	const conditions = fieldConditions(all)
	const columns = fields.map(({ field, value, label }, place) => {
		const others = conditions.filter((one) => one.field !== field && names.includes(one.field))
		const holds = ['1', ...others.map(({ sql }) => sql)].join(' AND ')
		return `${value} AS value_${place}, ${label} AS label_${place}, toUInt8(${holds}) AS holds_${place}`
	})
	const unfolded = fields.map(
		({ at }, place) =>
			`(toUInt8(${at}), CAST(value_${place}, 'String'), CAST(label_${place}, 'String'), holds_${place})`,
	)
	const calls = await readForFacets(store, workspaceId, range, { of, names, filter, common, columns })
	const sums =
		of === 'sessions'
			? { count: 'uniqExact(session_id)', errors: `uniqExactIf(session_id, ${calls.failed})` }
			: calls
	const where = `${of === 'sessions' ? "session_id != ''" : '1'}${calls.left ?? filterSql(common).sql}`
	const keys = fields.map((_, place) => `value_${place}, label_${place}, holds_${place}`).join(', ')
	const rows = (from: string) =>
		isOfSums
			? `SELECT ${columns.join(', ')}, max(started_at) AS newest, ${sums.count} AS of_calls, ${sums.errors} AS of_errors ${from} WHERE ${where} GROUP BY ${keys}`
			: `SELECT *, ${columns.join(', ')}, started_at AS newest ${from} WHERE ${where}`
	const { count, errors } = isOfSums ? { count: 'sum(of_calls)', errors: 'sum(of_errors)' } : sums
	return readStore(() =>
		store.query<StoredFacetValue>(
			statementFrom(
				calls,
				(from) => `SELECT at, value, label, count, errors, count() OVER (PARTITION BY at) AS values FROM (
				SELECT toString(facet.1) AS at, facet.2 AS value, argMax(facet.3, newest) AS label, ${count} AS count, ${errors} AS errors
				FROM (SELECT *, arrayJoin(arrayFilter(f -> f.4 AND f.2 != '', [${unfolded.join(', ')}])) AS facet FROM (${rows(from)})) AS spans
				GROUP BY at, value)
			ORDER BY toUInt8(at), count DESC, value LIMIT {rows:UInt32} BY at`,
			),
			{
				...filterSql(all).parameters,
				...{ ...calls.parameters, ...parameters, rows: limit },
			},
		),
	)
}

async function readForFacets(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{
		of,
		names,
		filter,
		common,
		columns,
	}: Pick<FacetQuery, 'of' | 'filter'> & {
		names: readonly string[]
		common: CallFilter
		columns: readonly string[]
	},
): Promise<NarrowSource & Pick<CallsRead, 'count' | 'errors' | 'failed'>> {
	if (of === 'spans') return { ...narrow(everySpan(workspaceId, range)), ...onSingleCalls }
	const needs = needsOf(filter)
	const isOfSpans = names.some(needsSpans)
	return readCalls(store, workspaceId, range, {
		...{ ...needs, filter: common, indexed: isIndexed(common) && !isOfSpans },
		spans: needs.spans || isOfSpans,
		sessions: needs.sessions || of === 'sessions',
		names: [filterSql(common).sql, ...columns, ...(of === 'sessions' ? ['session_id'] : [])],
	})
}

/**
 * For failed calls of these traces whose status has no message: the events of the newest one of each type of error, by `trace error_type`, if one
 * is an exception.
 */
export async function findExceptions(
	store: QueryStore,
	workspaceId: string,
	traces: readonly string[],
): Promise<Map<string, string>> {
	if (traces.length === 0) return new Map()
	const rows = await readStore(() =>
		store.query<{ trace: string; error_type: string; newest: string }>(
			`SELECT lower(hex(trace_id)) AS trace, error_type, argMax(${exceptionsWithoutMessage}, started_at) AS newest
			${fromSpansOfTraces} AND ${exceptionsWithoutMessage} != '' GROUP BY trace, error_type`,
			{ workspace: workspaceId, traces: [...traces] },
		),
	)
	return new Map(rows.map(({ trace, error_type, newest }) => [`${trace} ${error_type}`, newest]))
}
