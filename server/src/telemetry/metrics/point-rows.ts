import type { TimeRange } from '../../platform/time-range.ts'
import { type StoredPoint, storedPointColumns, toDouble } from '../export/otlp-items.ts'
import { orNull, presentAttributes } from '../present-span.ts'
import { type QueryStore, readStore } from '../reads/span-repository.ts'
import { toAttributes } from '../reads/stored-span.ts'
import { type PointFilter, pointConditions } from './metric-repository.ts'

/** A data point with a hash that distinguishes it from others of its metric and nanosecond; identical points share it. */
export type PlacedPoint = StoredPoint & { hash: string }

interface PointQuery {
	range: TimeRange
	filter: PointFilter & { metric?: string }
	after: PlacedPoint | null
	limit: number
}

const hash = 'cityHash64(kind, unit, attributes, resource, scope_name, start_time_unix_nano)'
const afterTime = "fromUnixTimestamp64Nano({after_ns:Int64}, 'UTC')"
/** The separate condition on the name lets the engine skip granules. */
const isAfter = `AND metric >= {after_metric:String} AND (metric, recorded_at, ${hash}) > ({after_metric:String}, ${afterTime}, {after_hash:UInt64})`

/** Data points of a time range after a position, by metric and then by time, as stored. */
export function findPoints(
	store: QueryStore,
	workspaceId: string,
	{ range, filter, after, limit }: PointQuery,
): Promise<PlacedPoint[]> {
	const { metric, ...others } = filter
	const { sql, parameters } = pointConditions(others)
	return readStore(() =>
		store.query<PlacedPoint>(
			`SELECT ${storedPointColumns}, toString(${hash}) AS hash
			FROM metrics WHERE workspace_id = {workspace:String}
				AND metrics.recorded_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND metrics.recorded_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
				${metric === undefined ? '' : 'AND metric = {metric:String}'} ${sql} ${after ? isAfter : ''}
			ORDER BY metric, metrics.recorded_at, ${hash} LIMIT {limit:UInt32} WITH TIES`,
			{
				...parameters,
				...(metric !== undefined && { metric }),
				...{ workspace: workspaceId, start: range.startMs, end: range.endMs, limit },
				...(after && { after_metric: after.metric, after_ns: after.recorded_ns, after_hash: after.hash }),
			},
		),
	)
}

const temporalities = ['unspecified', 'delta', 'cumulative'] as const

/** A data point as a line of a file. Null: its kind has no such field, or it was not sent. */
export function presentPoint(point: StoredPoint) {
	const isExponential = point.kind === 'exponential_histogram'
	return {
		...{ metric: point.metric, kind: point.kind, unit: point.unit, description: point.description },
		temporality: temporalities[point.temporality] ?? 'unspecified',
		is_monotonic: point.is_monotonic === 1,
		time_unix_nano: point.recorded_ns,
		start_time_unix_nano: point.start_time_unix_nano === '0' ? null : point.start_time_unix_nano,
		flags: point.flags,
		...figuresOf(point),
		...{ bucket_counts: point.bucket_counts, explicit_bounds: point.explicit_bounds.map(toDouble) },
		exponential: isExponential ? exponentialOf(point) : null,
		quantiles: point.quantiles.map((quantile, at) => ({
			...{ quantile: toDouble(quantile), value: toDouble(point.quantile_values[at] ?? null) },
		})),
		exemplars: point.exemplars === '' ? [] : JSON.parse(point.exemplars),
		attributes: presentAttributes(toAttributes(point.attributes, point.attribute_types)),
		service_name: orNull(point.service_name),
		resource: presentAttributes(toAttributes(point.resource, point.resource_types)),
		...{ scope_name: point.scope_name, scope_version: point.scope_version },
	}
}

/** The counts, and a gauge's or sum's value. Integers are text, since they may exceed 2^53. */
function figuresOf({ kind, value_int, value_double, count, sum, min, max }: StoredPoint) {
	const isNumber = kind === 'gauge' || kind === 'sum'
	return {
		value: value_int ?? toDouble(value_double),
		count: isNumber ? null : count,
		...{ sum: toDouble(sum), min: toDouble(min), max: toDouble(max) },
	}
}

function exponentialOf(point: StoredPoint) {
	return {
		scale: point.scale,
		zero_count: point.zero_count,
		zero_threshold: toDouble(point.zero_threshold),
		positive: { offset: point.positive_offset, bucket_counts: point.positive_counts },
		negative: { offset: point.negative_offset, bucket_counts: point.negative_counts },
	}
}
