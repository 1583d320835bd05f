import type { metricKinds } from '@signalbox/contract'
import type { TimeRange } from '../../platform/time-range.ts'
import { type StoredPoint, storedPointColumns } from '../export/otlp-items.ts'
import { attributeConditions, type ConditionSource } from '../reads/attribute-conditions.ts'
import { byName, type NamePage, placeParameters } from '../reads/name-place.ts'
import { type QueryStore, readStore } from '../reads/span-repository.ts'

export interface MetricShape {
	kind: (typeof metricKinds)[number]
	unit: string
	/** 0: unspecified, 1: delta, 2: cumulative. */
	temporality: number
	is_monotonic: number
}

/** Whether each point holds the total of its run. The count and the sum of a summary always do; it has no temporality. */
export function isCumulative({ kind, temporality }: Pick<MetricShape, 'kind' | 'temporality'>): boolean {
	return temporality === 2 || kind === 'summary'
}

/** A level goes up and down and is used as it is; everything else grows. */
export function isLevel({ kind, is_monotonic }: Pick<MetricShape, 'kind' | 'is_monotonic'>): boolean {
	return kind === 'gauge' || (kind === 'sum' && is_monotonic === 0)
}

export interface PointQuery {
	range: TimeRange
	intervalMs: number
	metric: string
	groupBy: readonly string[]
	service: string | undefined
	attribute: readonly string[] | undefined
}

/** The group and interval of a result row. */
interface Place {
	/** The values of `groupBy`. */
	group: string[]
	/** Number of intervals from the start of the range. */
	bucket: string
}

/** Statistics of the values in an interval, as the store returns them. */
export interface ValueFigures extends Place {
	count: string
	sum: number
	min: number
	max: number
	last: number
	quantiles: number[]
}

/** What a series grew by in an interval (delta), or its total at the interval's end (cumulative). 64-bit numbers are text. */
export interface GrowthFigures extends Place {
	/** One run of a series: what it reported with one start time. */
	run: string
	/** When the run began; '0' if not reported. */
	run_start: string
	/** How often the run had been reset by then, as far as its start time does not say so. */
	resets: string
	value: number
	count: string
	/** These are null if they are not known. */
	sum: number | null
	min: number | null
	max: number | null
	bounds: number[]
	counts: string[]
	scale: number
	zero: string
	positive: [string[], string[]]
	negative: [string[], string[]]
}

/** More rows are no longer a chart, and would fill the memory. */
export const maxRows = 100_000

/** The kinds and units in which a metric was sent, the last one first; several if its senders differ or have changed. */
export function findShapes(
	store: QueryStore,
	workspaceId: string,
	query: PointQuery,
): Promise<MetricShape[]> {
	const { where, parameters } = conditionsOf(workspaceId, query)
	return readStore(() =>
		store.query<MetricShape>(
			`SELECT kind, unit, temporality, is_monotonic FROM metrics WHERE ${where}
			GROUP BY kind, unit, temporality, is_monotonic ORDER BY max(recorded_at) DESC`,
			parameters,
		),
	)
}

const value = 'ifNull(value_double, toFloat64(value_int))'

/** The values of gauges and of non-monotonic sums. */
export function findValues(
	store: QueryStore,
	workspaceId: string,
	query: PointQuery,
	shape: MetricShape,
): Promise<ValueFigures[]> {
	const { where, parameters, group } = conditionsOf(workspaceId, query, shape)
	return readStore(() =>
		store.query<ValueFigures>(
			`SELECT ${group} AS group, ${bucket} AS bucket, count() AS count, sum(${value}) AS sum, min(${value}) AS min,
				max(${value}) AS max, argMax(${value}, recorded_at) AS last, quantilesExact(0.5, 0.75, 0.9, 0.95, 0.99)(${value}) AS quantiles
			FROM metrics WHERE ${where} GROUP BY group, bucket ORDER BY group, bucket LIMIT ${maxRows + 1}`,
			parameters,
		),
	)
}

/** Monotonic sums and histograms, each series separately, in the order of their runs. */
export function findGrowth(
	store: QueryStore,
	workspaceId: string,
	query: PointQuery,
	shape: MetricShape,
): Promise<GrowthFigures[]> {
	const { where, parameters, group } = conditionsOf(workspaceId, query, shape)
	const isDelta = !isCumulative(shape)
	const last = (column: string) => `argMax(${column}, recorded_at)`
	const fold = (column: string) => (isDelta ? `sum(${column})` : last(column))
	const buckets = (side: string) => {
		const pair = `arrayMap(at -> ${side}_offset + toInt32(at), range(length(${side}_counts))), ${side}_counts`
		return isDelta ? `sumMap(${pair})` : last(`(${pair})`)
	}
	/** Null if a point with observations has none; NaN is null in the store's answers. */
	const extreme = (name: 'min' | 'max') =>
		isDelta
			? `if(countIf(metrics.count > 0 AND NOT ifNull(isFinite(metrics.${name}), 0)) = 0, ${name}(metrics.${name}), NULL)`
			: last(`ifNull(metrics.${name}, nan)`)
	// Deltas are added up across runs, and apart for each set of buckets. Of a total, the last one of the interval is enough.
	const start = isDelta ? '0' : 'start_time_unix_nano'
	const run = `cityHash64(${series}, ${start})`
	// A total that decreased was reset; its growth before that, in the same interval, is a row of its own.
	const runs = `SELECT ${run} AS known_run, min(recorded_at) AS first_at, arraySort(groupArray((recorded_at, ifNull(${value}, toFloat64(count))))) AS totals,
			arrayFilter((now, before) -> now.2 < before.2, arrayPopFront(totals), arrayPopBack(totals)).1 AS reset_times
		FROM metrics WHERE ${where} GROUP BY known_run`
	const [at, resets, from, bounds, scale] = isDelta
		? [bucket, '0', 'metrics', 'explicit_bounds', 'metrics.scale']
		: [
				growthBucket,
				'arrayCount(at -> at <= recorded_at, reset_times)',
				`metrics LEFT JOIN (${runs}) AS runs ON ${run} = known_run`,
				last('explicit_bounds'),
				last('metrics.scale'),
			]
	return readStore(() =>
		store.query<GrowthFigures>(
			`SELECT ${group} AS group, ${at} AS bucket, toString(${start}) AS run_start, toString(${run}) AS run, toString(${resets}) AS resets,
				${fold(`ifNull(${value}, 0)`)} AS value, ${fold('metrics.count')} AS count,
				${fold('ifNull(metrics.sum, if(metrics.count = 0, 0, nan))')} AS sum, ${extreme('min')} AS min, ${extreme('max')} AS max,
				${bounds} AS bounds, ${isDelta ? 'sumForEach(bucket_counts)' : last('bucket_counts')} AS counts, ${scale} AS scale,
				${fold('zero_count')} AS zero, ${buckets('positive')} AS positive, ${buckets('negative')} AS negative
			FROM ${from} WHERE ${where} GROUP BY group, run, run_start, resets, bucket ${isDelta ? ', bounds, scale' : ''}
			ORDER BY run, toInt64(bucket), toUInt64(resets) LIMIT ${maxRows + 1}`,
			parameters,
		),
	)
}

/** What distinguishes the series of a metric. */
const series = 'service_name, resource, scope_name, scope_version, scope_attributes, attributes'
const bucket = 'toString(floor((toUnixTimestamp64Milli(recorded_at) - {start:Int64}) / {interval:Int64}))'
/**
 * The first point of a run that began before the range, or when the sender first read a running counter (its start is then its own
 * time), is what the run's growth is computed from, and no growth itself. It is taken as if it were from before the range.
 */
const growthBucket = `if(recorded_at = first_at AND (start_time_unix_nano < {start:Int64} * 1000000 OR
	start_time_unix_nano = toUnixTimestamp64Nano(first_at)), toString(least(toInt64(${bucket}), -1)), ${bucket})`

function conditionsOf(
	workspaceId: string,
	{ range, intervalMs, metric, groupBy, service, attribute }: PointQuery,
	shape?: MetricShape,
): { where: string; parameters: Record<string, unknown>; group: string } {
	const attributes = attributeConditions(attribute)
	const ofGroup = groupBy.map((_, number) => {
		const key = `{group_${number}:String}`
		return `if(mapContains(attributes, ${key}), attributes[${key}], resource[${key}])`
	})
	return {
		where: `workspace_id = {workspace:String} AND metric = {metric:String}
			AND recorded_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND recorded_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
			${service === undefined ? '' : 'AND service_name = {service:String}'} ${attributes.sql}
			${shape ? `AND ${ofShape} AND ${isRecorded(shape)}` : ''}`,
		group: `array(${ofGroup.join(', ')})::Array(String)`,
		parameters: {
			...attributes.parameters,
			...Object.fromEntries(groupBy.map((key, number) => [`group_${number}`, key])),
			workspace: workspaceId,
			metric,
			start: range.startMs,
			// The series' total before the range, from which its growth within the range is computed.
			from:
				shape && !isLevel(shape) && isCumulative(shape)
					? Math.max(0, range.startMs - Math.max(intervalMs, 600_000))
					: range.startMs,
			end: range.endMs,
			interval: intervalMs,
			...(service !== undefined && { service }),
			...shape,
		},
	}
}

const ofShape = `kind = {kind:String} AND unit = {unit:String} AND temporality = {temporality:UInt8}
	AND is_monotonic = {is_monotonic:UInt8}`

/** A point can say that nothing was recorded, or have a value that is not a number. Neither is a zero. */
function isRecorded({ kind }: MetricShape): string {
	return `bitAnd(flags, 1) = 0 ${kind === 'gauge' || kind === 'sum' ? `AND isFinite(${value})` : ''}`
}

/** As the store returns it: 64-bit numbers are text. */
export interface StoredMetric {
	name: string
	kind: (typeof metricKinds)[number]
	unit: string
	description: string
	temporality: number
	is_monotonic: number
	points: string
	last_ms: string
	name_start: string
	name_hash: string
}

/** Selects data points. */
export interface PointFilter {
	service?: string
	/** See `attributeConditions`. */
	attribute?: string[]
}

/** ` AND …` for each condition of a filter on service and attributes, and its parameters. */
export function pointConditions({ service, attribute }: PointFilter, source?: ConditionSource) {
	const attributes = attributeConditions(attribute, source)
	return {
		sql: `${service === undefined ? '' : ' AND service_name = {service:String}'}${attributes.sql}`,
		parameters: { ...attributes.parameters, ...(service !== undefined && { service }) },
	}
}

const shape = 'metric, kind, unit, temporality, is_monotonic'
const list = byName('metric', shape)

/** The metrics of a time range by name. A metric that changed its kind or unit is listed once for each. */
export function findMetrics(
	store: QueryStore,
	workspaceId: string,
	filter: PointFilter,
	{ range, after, limit }: NamePage,
): Promise<StoredMetric[]> {
	const { sql, parameters } = pointConditions(filter)
	return readStore(() =>
		store.query<StoredMetric>(
			`SELECT metric AS name, kind, unit, anyLast(description) AS description, temporality, is_monotonic, count() AS points,
				toString(toUnixTimestamp64Milli(max(recorded_at))) AS last_ms, ${list.columns}
			FROM metrics WHERE workspace_id = {workspace:String}
				AND recorded_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND recorded_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
				${sql} ${after ? list.after : ''}
			GROUP BY ${shape} ORDER BY ${list.order} LIMIT {limit:UInt32}`,
			{
				...parameters,
				...placeParameters(after),
				workspace: workspaceId,
				start: range.startMs,
				end: range.endMs,
				limit,
			},
		),
	)
}

/** A data point with a hash that distinguishes it from others of its metric and nanosecond; identical points share it. */
export type PlacedPoint = StoredPoint & { hash: string }

interface StoredPointQuery {
	range: TimeRange
	filter: PointFilter & { metric?: string }
	after: PlacedPoint | null
	limit: number
}

const pointHash = 'cityHash64(kind, unit, attributes, resource, scope_name, start_time_unix_nano)'
const afterTime = "fromUnixTimestamp64Nano({after_ns:Int64}, 'UTC')"
/** The separate condition on the name lets the engine skip granules. */
const isAfter = `AND metric >= {after_metric:String} AND (metric, recorded_at, ${pointHash}) > ({after_metric:String}, ${afterTime}, {after_hash:UInt64})`

/** Data points of a time range after a position, by metric and then by time, as stored. */
export function findPoints(
	store: QueryStore,
	workspaceId: string,
	{ range, filter, after, limit }: StoredPointQuery,
): Promise<PlacedPoint[]> {
	const { metric, ...others } = filter
	const { sql, parameters } = pointConditions(others)
	return readStore(() =>
		store.query<PlacedPoint>(
			`SELECT ${storedPointColumns}, toString(${pointHash}) AS hash
			FROM metrics WHERE workspace_id = {workspace:String}
				AND metrics.recorded_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND metrics.recorded_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
				${metric === undefined ? '' : 'AND metric = {metric:String}'} ${sql} ${after ? isAfter : ''}
			ORDER BY metric, metrics.recorded_at, ${pointHash} LIMIT {limit:UInt32} WITH TIES`,
			{
				...parameters,
				...(metric !== undefined && { metric }),
				...{ workspace: workspaceId, start: range.startMs, end: range.endMs, limit },
				...(after && { after_metric: after.metric, after_ns: after.recorded_ns, after_hash: after.hash }),
			},
		),
	)
}
