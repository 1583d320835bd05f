import { type OtlpKeyValue, toOtlpKeyValues } from '../attribute-text.ts'
import { toAttributes } from '../reads/stored-span.ts'

/** A data point as the store answers it: 64-bit numbers and floats as text, since JSON has no NaN and no infinities. */
export interface StoredPoint {
	metric: string
	kind: 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary'
	unit: string
	description: string
	metadata: Record<string, string>
	metadata_types: Record<string, string>
	temporality: number
	is_monotonic: number
	recorded_ns: string
	start_time_unix_nano: string
	attributes: Record<string, string>
	attribute_types: Record<string, string>
	flags: number
	value_int: string | null
	value_double: string | null
	count: string
	sum: string | null
	min: string | null
	max: string | null
	bucket_counts: string[]
	explicit_bounds: string[]
	scale: number
	zero_count: string
	zero_threshold: string
	positive_offset: number
	positive_counts: string[]
	negative_offset: number
	negative_counts: string[]
	quantiles: string[]
	quantile_values: string[]
	exemplars: string
	service_name: string
	resource: Record<string, string>
	resource_types: Record<string, string>
	resource_dropped_attributes: number
	resource_schema_url: string
	scope_name: string
	scope_version: string
	scope_attributes: Record<string, string>
	scope_attribute_types: Record<string, string>
	scope_dropped_attributes: number
	scope_schema_url: string
}

const floats = ['value_double', 'sum', 'min', 'max', 'zero_threshold']
const floatLists = ['explicit_bounds', 'quantiles', 'quantile_values']
const asText = [
	...floats.map((name) => `toString(metrics.${name}) AS ${name}`),
	...floatLists.map((name) => `arrayMap(x -> toString(x), metrics.${name}) AS ${name}`),
]

/** The columns of a SELECT that give a `StoredPoint`. */
export const storedPointColumns = `* EXCEPT (workspace_id, recorded_at, stored_at, ${[...floats, ...floatLists].join(', ')}),
	toString(toUnixTimestamp64Nano(recorded_at)) AS recorded_ns, ${asText.join(', ')}`

/** Data points as an `ExportMetricsServiceRequest` in OTLP's JSON form, each with its own resource, scope and metric. */
export function toMetricsRequest(points: readonly StoredPoint[]): object {
	return {
		resourceMetrics: points.map((point) => ({
			resource: {
				attributes: keyValues(point.resource, point.resource_types),
				droppedAttributesCount: point.resource_dropped_attributes,
			},
			schemaUrl: point.resource_schema_url,
			scopeMetrics: [
				{
					scope: {
						name: point.scope_name,
						version: point.scope_version,
						attributes: keyValues(point.scope_attributes, point.scope_attribute_types),
						droppedAttributesCount: point.scope_dropped_attributes,
					},
					schemaUrl: point.scope_schema_url,
					metrics: [toMetric(point)],
				},
			],
		})),
	}
}

function toMetric(point: StoredPoint): object {
	const { metric: name, description, unit, metadata, metadata_types } = point
	return {
		...{ name, description, unit, metadata: keyValues(metadata, metadata_types) },
		...dataOf(point),
	}
}

function dataOf(point: StoredPoint): object {
	const aggregationTemporality = point.temporality
	if (point.kind === 'gauge') return { gauge: { dataPoints: [toNumberPoint(point)] } }
	if (point.kind === 'sum')
		return {
			sum: {
				...{ dataPoints: [toNumberPoint(point)], aggregationTemporality },
				isMonotonic: point.is_monotonic === 1,
			},
		}
	if (point.kind === 'histogram')
		return { histogram: { dataPoints: [toHistogramPoint(point)], aggregationTemporality } }
	if (point.kind === 'summary') return { summary: { dataPoints: [toSummaryPoint(point)] } }
	return { exponentialHistogram: { dataPoints: [toExponentialPoint(point)], aggregationTemporality } }
}

function toNumberPoint(point: StoredPoint): object {
	const { value_int: asInt, value_double } = point
	return { ...sharedOf(point), ...exemplarsOf(point), asInt, asDouble: toDouble(value_double) }
}

function toHistogramPoint(point: StoredPoint): object {
	const { bucket_counts: bucketCounts, explicit_bounds } = point
	return {
		...{ ...sharedOf(point), ...exemplarsOf(point), ...figuresOf(point), bucketCounts },
		explicitBounds: explicit_bounds.map(toDouble),
	}
}

function toExponentialPoint(point: StoredPoint): object {
	const { scale, zero_count: zeroCount } = point
	return {
		...{ ...sharedOf(point), ...exemplarsOf(point), ...figuresOf(point), scale, zeroCount },
		zeroThreshold: toDouble(point.zero_threshold),
		positive: { offset: point.positive_offset, bucketCounts: point.positive_counts },
		negative: { offset: point.negative_offset, bucketCounts: point.negative_counts },
	}
}

function toSummaryPoint(point: StoredPoint): object {
	const { count, sum, quantiles, quantile_values: values } = point
	const quantileValues = quantiles.map((quantile, i) => ({
		quantile: toDouble(quantile),
		value: toDouble(values[i] ?? null),
	}))
	return { ...sharedOf(point), count, sum: toDouble(sum), quantileValues }
}

function figuresOf({ count, sum, min, max }: StoredPoint): object {
	return { count, sum: toDouble(sum), min: toDouble(min), max: toDouble(max) }
}

/** As OTLP's JSON has it. */
export function toDouble(text: string | null): number | string | null {
	if (text === null) return null
	if (text === 'nan') return 'NaN'
	return text.endsWith('inf') ? text.replace('inf', 'Infinity') : Number(text)
}

function sharedOf(point: StoredPoint): object {
	return {
		startTimeUnixNano: point.start_time_unix_nano,
		timeUnixNano: point.recorded_ns,
		attributes: keyValues(point.attributes, point.attribute_types),
		flags: point.flags,
	}
}

function exemplarsOf({ exemplars }: StoredPoint): object {
	return exemplars === '' ? {} : { exemplars: JSON.parse(exemplars) }
}

function keyValues(texts: Record<string, string>, types: Record<string, string>): OtlpKeyValue[] {
	return toOtlpKeyValues(toAttributes(texts, types))
}
