import type { OutputOf, QueryOf, telemetryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { type StoredPoint, toDouble } from '../export/otlp-items.ts'
import { orNull, presentAttributes } from '../present-span.ts'
import type { ReadDependencies } from '../reads/cursor.ts'
import { readNamePage } from '../reads/name-place.ts'
import { toAttributes } from '../reads/stored-span.ts'
import type { FacetList } from '../reads/value-repository.ts'
import { findMetrics, type StoredMetric } from './metric-repository.ts'

/** The fields by which data points are filtered, with counts. */
export const metricFacets: FacetList = {
	table: 'metrics',
	fields: { service: { sql: 'service_name', filter: 'service' } },
	conditions: { service: 'service_name = {service:String}' },
	isError: '0',
}

type Operation = (typeof telemetryOperations)['metrics']
type MetricView = OutputOf<Operation>['metrics'][number]

const temporalities = ['unspecified', 'delta', 'cumulative'] as const

export async function listMetrics(
	dependencies: ReadDependencies,
	workspaceId: string,
	{ service, attribute, ...page }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const filter = { ...(service !== undefined && { service }), ...(attribute && { attribute }) }
	const list = { workspaceId, kind: 'metric_cursor' }
	const { rows, nextCursor } = await readNamePage(dependencies, list, page, (wanted) =>
		findMetrics(dependencies.telemetry, workspaceId, filter, wanted),
	)
	return { metrics: rows.map(presentMetric), next_cursor: nextCursor }
}

function presentMetric(metric: StoredMetric): MetricView {
	const { name, kind, unit, description, temporality, is_monotonic, points, last_ms } = metric
	return {
		...{ name, kind, unit, description },
		temporality: temporalities[temporality] ?? 'unspecified',
		is_monotonic: is_monotonic === 1,
		points: Number(points),
		last_at: toIso(Number(last_ms)),
	}
}

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
