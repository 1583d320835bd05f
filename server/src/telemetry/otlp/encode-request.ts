import { WireWriter } from './wire-writer.ts'

/**
 * Options of the wire format. Protobuf allows fields in any order, and lists of numbers with a tag for each; tests write what
 * readers must accept.
 */
interface WireForm {
	backwards?: boolean
	unpacked?: boolean
}

export type OtlpSignal = 'traces' | 'logs' | 'metrics'
type Field = readonly [number: number, type: string]
type Json = { readonly [field: string]: unknown }

const point = { startTimeUnixNano: [2, 'fixed64'], timeUnixNano: [3, 'fixed64'] } as const

/**
 * The messages of opentelemetry-proto 1.11; `*`: repeated. `messages.ts` declares them separately for reading, so that a wrong
 * field number is detected.
 */
const messages: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
	traces: { resourceSpans: [1, 'ResourceSpans*'] },
	ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans*'], schemaUrl: [3, 'text'] },
	ScopeSpans: { scope: [1, 'Scope'], spans: [2, 'Span*'], schemaUrl: [3, 'text'] },
	Span: {
		traceId: [1, 'hex'],
		spanId: [2, 'hex'],
		traceState: [3, 'text'],
		parentSpanId: [4, 'hex'],
		name: [5, 'text'],
		kind: [6, 'varint'],
		startTimeUnixNano: [7, 'fixed64'],
		endTimeUnixNano: [8, 'fixed64'],
		attributes: [9, 'KeyValue*'],
		droppedAttributesCount: [10, 'varint'],
		events: [11, 'Event*'],
		droppedEventsCount: [12, 'varint'],
		links: [13, 'Link*'],
		droppedLinksCount: [14, 'varint'],
		status: [15, 'Status'],
		flags: [16, 'fixed32'],
	},
	Event: {
		timeUnixNano: [1, 'fixed64'],
		name: [2, 'text'],
		attributes: [3, 'KeyValue*'],
		droppedAttributesCount: [4, 'varint'],
	},
	Link: {
		traceId: [1, 'hex'],
		spanId: [2, 'hex'],
		traceState: [3, 'text'],
		attributes: [4, 'KeyValue*'],
		droppedAttributesCount: [5, 'varint'],
		flags: [6, 'fixed32'],
	},
	Status: { message: [2, 'text'], code: [3, 'varint'] },
	logs: { resourceLogs: [1, 'ResourceLogs*'] },
	ResourceLogs: { resource: [1, 'Resource'], scopeLogs: [2, 'ScopeLogs*'], schemaUrl: [3, 'text'] },
	ScopeLogs: { scope: [1, 'Scope'], logRecords: [2, 'LogRecord*'], schemaUrl: [3, 'text'] },
	LogRecord: {
		timeUnixNano: [1, 'fixed64'],
		severityNumber: [2, 'varint'],
		severityText: [3, 'text'],
		body: [5, 'AnyValue'],
		attributes: [6, 'KeyValue*'],
		droppedAttributesCount: [7, 'varint'],
		flags: [8, 'fixed32'],
		traceId: [9, 'hex'],
		spanId: [10, 'hex'],
		observedTimeUnixNano: [11, 'fixed64'],
		eventName: [12, 'text'],
	},
	metrics: { resourceMetrics: [1, 'ResourceMetrics*'] },
	ResourceMetrics: { resource: [1, 'Resource'], scopeMetrics: [2, 'ScopeMetrics*'], schemaUrl: [3, 'text'] },
	ScopeMetrics: { scope: [1, 'Scope'], metrics: [2, 'Metric*'], schemaUrl: [3, 'text'] },
	Metric: {
		name: [1, 'text'],
		description: [2, 'text'],
		unit: [3, 'text'],
		gauge: [5, 'Numbers'],
		sum: [7, 'Numbers'],
		histogram: [9, 'Histogram'],
		exponentialHistogram: [10, 'ExponentialHistogram'],
		summary: [11, 'Summary'],
		metadata: [12, 'KeyValue*'],
	},
	Numbers: {
		dataPoints: [1, 'NumberPoint*'],
		aggregationTemporality: [2, 'varint'],
		isMonotonic: [3, 'bool'],
	},
	Histogram: { dataPoints: [1, 'HistogramPoint*'], aggregationTemporality: [2, 'varint'] },
	ExponentialHistogram: { dataPoints: [1, 'ExponentialPoint*'], aggregationTemporality: [2, 'varint'] },
	Summary: { dataPoints: [1, 'SummaryPoint*'] },
	NumberPoint: {
		...point,
		asDouble: [4, 'double'],
		exemplars: [5, 'Exemplar*'],
		asInt: [6, 'fixed64'],
		attributes: [7, 'KeyValue*'],
		flags: [8, 'varint'],
	},
	HistogramPoint: {
		...point,
		count: [4, 'fixed64'],
		sum: [5, 'double'],
		bucketCounts: [6, 'fixed64*'],
		explicitBounds: [7, 'double*'],
		exemplars: [8, 'Exemplar*'],
		attributes: [9, 'KeyValue*'],
		flags: [10, 'varint'],
		min: [11, 'double'],
		max: [12, 'double'],
	},
	ExponentialPoint: {
		attributes: [1, 'KeyValue*'],
		...point,
		count: [4, 'fixed64'],
		sum: [5, 'double'],
		scale: [6, 'zigzag'],
		zeroCount: [7, 'fixed64'],
		positive: [8, 'Buckets'],
		negative: [9, 'Buckets'],
		flags: [10, 'varint'],
		exemplars: [11, 'Exemplar*'],
		min: [12, 'double'],
		max: [13, 'double'],
		zeroThreshold: [14, 'double'],
	},
	Buckets: { offset: [1, 'zigzag'], bucketCounts: [2, 'varint*'] },
	SummaryPoint: {
		...point,
		count: [4, 'fixed64'],
		sum: [5, 'double'],
		quantileValues: [6, 'Quantile*'],
		attributes: [7, 'KeyValue*'],
		flags: [8, 'varint'],
	},
	Quantile: { quantile: [1, 'double'], value: [2, 'double'] },
	Exemplar: {
		timeUnixNano: [2, 'fixed64'],
		asDouble: [3, 'double'],
		spanId: [4, 'hex'],
		traceId: [5, 'hex'],
		asInt: [6, 'fixed64'],
		filteredAttributes: [7, 'KeyValue*'],
	},
	Resource: { attributes: [1, 'KeyValue*'], droppedAttributesCount: [2, 'varint'] },
	Scope: {
		name: [1, 'text'],
		version: [2, 'text'],
		attributes: [3, 'KeyValue*'],
		droppedAttributesCount: [4, 'varint'],
	},
	KeyValue: { key: [1, 'text'], value: [2, 'AnyValue'] },
	AnyValue: {
		stringValue: [1, 'text'],
		boolValue: [2, 'bool'],
		intValue: [3, 'varint'],
		doubleValue: [4, 'double'],
		arrayValue: [5, 'ArrayValue'],
		kvlistValue: [6, 'KeyValueList'],
		bytesValue: [7, 'base64'],
	},
	ArrayValue: { values: [1, 'AnyValue*'] },
	KeyValueList: { values: [1, 'KeyValue*'] },
}

/** Encodes a request of OTLP's JSON form as protobuf. */
export function encodeRequest(signal: OtlpSignal, request: object): Buffer {
	const w = new WireWriter()
	writeRequest(w, signal, request)
	return w.toBuffer()
}

function writeRequest(w: WireWriter, signal: OtlpSignal, request: object, form: WireForm = {}): void {
	writeMessage(w, signal, request as Json, form)
}

function writeMessage(w: WireWriter, name: string, json: Json, form: WireForm): void {
	const fields = Object.entries(messages[name] ?? {})
	for (const [field, [number, type]] of form.backwards ? fields.toReversed() : fields) {
		const value = json[field]
		if (value === undefined || value === null) continue
		if (!type.endsWith('*')) writeField(w, number, type, value, form)
		else writeList(w, number, type.slice(0, -1), value as unknown[], form)
	}
}

function writeList(w: WireWriter, number: number, type: string, values: unknown[], form: WireForm): void {
	if (messages[type] || form.unpacked) for (const value of values) writeField(w, number, type, value, form)
	else if (values.length > 0) w.bytes(number, Buffer.concat(values.map((value) => bare(type, value))))
}

/** A number without its tag, which takes one byte here. */
function bare(type: string, value: unknown): Buffer {
	const w = new WireWriter()
	writeField(w, 1, type, value, {})
	return w.toBuffer().subarray(1)
}

function writeField(w: WireWriter, number: number, type: string, value: unknown, form: WireForm): void {
	if (messages[type]) w.message(number, (inner) => writeMessage(inner, type, value as Json, form))
	else if (type === 'text') w.text(number, value as string)
	else if (type === 'hex' || type === 'base64') w.bytes(number, Buffer.from(value as string, type))
	else if (type === 'double') w.double(number, Number(value))
	else if (type === 'fixed32') w.fixed32(number, Number(value))
	else if (type === 'fixed64') w.fixed64(number, BigInt.asUintN(64, BigInt(value as string)))
	else if (type === 'zigzag') w.int(number, zigzag(BigInt(value as number)))
	else w.int(number, BigInt(value as string | boolean))
}

function zigzag(value: bigint): bigint {
	return BigInt.asUintN(32, (value << 1n) ^ (value >> 31n))
}

/** Encodes any request of OTLP's JSON form as protobuf, valid or not. `packed`: whether lists of numbers are one field each. */
export function encodeMessage(name: OtlpSignal, json: object, packed = true): Buffer {
	const w = new WireWriter()
	writeRequest(w, name, json, { backwards: true, unpacked: !packed })
	w.text(900, 'a field of the future')
	return w.toBuffer()
}
