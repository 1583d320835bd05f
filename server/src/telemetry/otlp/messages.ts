import {
	anyValue,
	attributes,
	bool,
	double,
	each,
	enumOf,
	fixed32,
	fixed64,
	idOf,
	items,
	list,
	message,
	numbers,
	type Of,
	optional,
	sfixed64,
	sint32,
	text,
	uint32,
	uint64,
} from './message-codec.ts'

/** The messages of logs and metrics, with all fields of opentelemetry-proto 1.11. */

const resource = message({ attributes: [1, attributes], droppedAttributesCount: [2, uint32] })
const scope = message({
	name: [1, text],
	version: [2, text],
	attributes: [3, attributes],
	droppedAttributesCount: [4, uint32],
})
export type Resource = Of<typeof resource>
export type InstrumentationScope = Of<typeof scope>

const severities = Object.fromEntries(
	['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((name, i) =>
		['', '2', '3', '4'].map((step, j) => [`SEVERITY_NUMBER_${name}${step}`, i * 4 + j + 1] as const),
	),
)
const logRecord = message({
	timeUnixNano: [1, fixed64],
	observedTimeUnixNano: [11, fixed64],
	severityNumber: [2, enumOf(severities)],
	severityText: [3, text],
	body: [5, anyValue],
	attributes: [6, attributes],
	droppedAttributesCount: [7, uint32],
	flags: [8, fixed32],
	traceId: [9, idOf(16)],
	spanId: [10, idOf(8)],
	eventName: [12, text],
})
export type LogRecord = Of<typeof logRecord>

export const logsRequest = message({
	resourceLogs: [
		1,
		each(
			message({
				resource: [1, resource],
				scopeLogs: [
					2,
					each(message({ scope: [1, scope], logRecords: [2, items(logRecord)], schemaUrl: [3, text] })),
				],
				schemaUrl: [3, text],
			}),
		),
	],
})

const exemplar = message({
	filteredAttributes: [7, attributes],
	timeUnixNano: [2, fixed64],
	asDouble: [3, optional(double)],
	asInt: [6, optional(sfixed64)],
	spanId: [4, idOf(8)],
	traceId: [5, idOf(16)],
})
export type Exemplar = Of<typeof exemplar>

const temporality = enumOf({
	AGGREGATION_TEMPORALITY_UNSPECIFIED: 0,
	AGGREGATION_TEMPORALITY_DELTA: 1,
	AGGREGATION_TEMPORALITY_CUMULATIVE: 2,
})
const times = { startTimeUnixNano: [2, fixed64], timeUnixNano: [3, fixed64] } as const

const numberPoint = message({
	...times,
	attributes: [7, attributes],
	asDouble: [4, optional(double)],
	asInt: [6, optional(sfixed64)],
	exemplars: [5, list(exemplar)],
	flags: [8, uint32],
})
const histogramPoint = message({
	...times,
	attributes: [9, attributes],
	count: [4, fixed64],
	sum: [5, optional(double)],
	bucketCounts: [6, numbers(fixed64)],
	explicitBounds: [7, numbers(double)],
	exemplars: [8, list(exemplar)],
	flags: [10, uint32],
	min: [11, optional(double)],
	max: [12, optional(double)],
})
const buckets = message({ offset: [1, sint32], bucketCounts: [2, numbers(uint64)] })
const exponentialPoint = message({
	...times,
	attributes: [1, attributes],
	count: [4, fixed64],
	sum: [5, optional(double)],
	scale: [6, sint32],
	zeroCount: [7, fixed64],
	positive: [8, buckets],
	negative: [9, buckets],
	flags: [10, uint32],
	exemplars: [11, list(exemplar)],
	min: [12, optional(double)],
	max: [13, optional(double)],
	zeroThreshold: [14, double],
})
const summaryPoint = message({
	...times,
	attributes: [7, attributes],
	count: [4, fixed64],
	sum: [5, double],
	quantileValues: [6, list(message({ quantile: [1, double], value: [2, double] }))],
	flags: [8, uint32],
})

const metric = message({
	name: [1, text],
	description: [2, text],
	unit: [3, text],
	metadata: [12, attributes],
	gauge: [5, optional(message({ dataPoints: [1, items(numberPoint)] }))],
	sum: [
		7,
		optional(
			message({
				dataPoints: [1, items(numberPoint)],
				aggregationTemporality: [2, temporality],
				isMonotonic: [3, bool],
			}),
		),
	],
	histogram: [
		9,
		optional(message({ dataPoints: [1, items(histogramPoint)], aggregationTemporality: [2, temporality] })),
	],
	exponentialHistogram: [
		10,
		optional(message({ dataPoints: [1, items(exponentialPoint)], aggregationTemporality: [2, temporality] })),
	],
	summary: [11, optional(message({ dataPoints: [1, items(summaryPoint)] }))],
})
export type Metric = Of<typeof metric>
export type NumberPoint = Of<typeof numberPoint>
export type HistogramPoint = Of<typeof histogramPoint>
export type ExponentialPoint = Of<typeof exponentialPoint>
export type SummaryPoint = Of<typeof summaryPoint>

export const metricsRequest = message({
	resourceMetrics: [
		1,
		each(
			message({
				resource: [1, resource],
				scopeMetrics: [
					2,
					each(message({ scope: [1, scope], metrics: [2, items(metric)], schemaUrl: [3, text] })),
				],
				schemaUrl: [3, text],
			}),
		),
	],
})
