import type { metricKinds } from '@signalbox/contract'
import { toOtlpJson, toOtlpKeyValues } from '../attribute-text.ts'
import { checkTime, type Decoded, type DecodeOptions, Rejected } from '../otlp/decoded.ts'
import { parseJsonBody } from '../otlp/json-fields.ts'
import type { Of } from '../otlp/message-codec.ts'
import {
	type Exemplar,
	type ExponentialPoint,
	type HistogramPoint,
	type Metric,
	metricsRequest,
	type NumberPoint,
	type SummaryPoint,
} from '../otlp/messages.ts'
import { encodeSender, RowCollector } from '../otlp/row-collector.ts'
import { WireReader } from '../otlp/wire-reader.ts'
import { type Redactor, redactorOf } from '../redaction/redactor.ts'
import { RowWriter } from '../row-writer.ts'
import { writeArray, writeAttributes, writeNullable } from '../span-row-binary.ts'

/** A data point of any kind; fields that its kind does not have are absent. */
type DataPoint = Pick<NumberPoint, 'timeUnixNano' | 'startTimeUnixNano' | 'attributes' | 'flags'> &
	Partial<Omit<NumberPoint, 'attributes'>> &
	Partial<Omit<HistogramPoint, 'attributes'>> &
	Partial<Omit<ExponentialPoint, 'attributes'>> &
	Partial<Omit<SummaryPoint, 'attributes' | 'sum'>>

interface Points {
	kind: (typeof metricKinds)[number]
	temporality: number
	isMonotonic: boolean
	points: Iterable<DataPoint | Rejected>
}

/** The data points of a metric with their common fields. A metric without a kind is an empty gauge. */
function pointsOf({ gauge, sum, histogram, exponentialHistogram, summary }: Metric): Points {
	if (sum) return { ...pick('sum', sum), isMonotonic: sum.isMonotonic }
	if (histogram) return pick('histogram', histogram)
	if (exponentialHistogram) return pick('exponential_histogram', exponentialHistogram)
	if (summary) return pick('summary', summary)
	return pick('gauge', gauge ?? { dataPoints: [] })
}

function pick(
	kind: Points['kind'],
	data: { dataPoints: Points['points']; aggregationTemporality?: number },
): Points {
	return { kind, temporality: data.aggregationTemporality ?? 0, isMonotonic: false, points: data.dataPoints }
}

/**
 * Converts an `ExportMetricsServiceRequest` to one row per data point. Throws `Malformed`; an error inside a point rejects that
 * point.
 */
export function transcodeMetricsProtobuf(body: Buffer, options: DecodeOptions): Decoded {
	return toRows(metricsRequest.readWhole(new WireReader(body)), options)
}

/** The same for OTLP's JSON form. */
export function transcodeMetricsJson(body: Buffer, options: DecodeOptions): Decoded {
	return toRows(metricsRequest.parse(parseJsonBody(body, 'metrics'), ''), options)
}

function toRows(request: Of<typeof metricsRequest>, options: DecodeOptions): Decoded {
	const rows = new RowCollector(options)
	const redactor = redactorOf(options.rules)
	for (const { resource, scopeMetrics, schemaUrl } of request.resourceMetrics)
		for (const { scope, metrics, schemaUrl: scopeSchemaUrl } of scopeMetrics) {
			const sender = encodeSender(resource, schemaUrl, scope, scopeSchemaUrl, redactor)
			for (const metric of metrics)
				if (metric instanceof Rejected) rows.reject(metric.message)
				else addPoints(rows, metric, { sender, options, redactor })
		}
	return rows.take()
}

function addPoints(rows: RowCollector, metric: Metric, shared: Omit<PointContext, 'head'>): void {
	const { kind, temporality, isMonotonic, points } = pointsOf(metric)
	const head = encodeMetric(shared, metric, { kind, temporality, isMonotonic })
	for (const point of points as Iterable<DataPoint | Rejected>)
		if (point instanceof Rejected) rows.reject(point.message)
		else rows.add((w) => writePointRow(w, point, { head, ...shared }))
}

const scratch = new RowWriter()

/** What the data points of a metric share. */
interface PointContext {
	/** Encoded by `encodeMetric`. */
	head: Buffer
	/** Encoded by `encodeSender`. */
	sender: Buffer
	options: DecodeOptions
	redactor: Redactor
}

/** The columns `workspace_id` to `is_monotonic`, which the points of a metric share. */
function encodeMetric(
	{ options: { workspaceId, retentionDays }, redactor }: Pick<PointContext, 'options' | 'redactor'>,
	{ name, unit, description, metadata }: Metric,
	{ kind, temporality, isMonotonic }: Omit<Points, 'points'>,
): Buffer {
	scratch.reset()
	scratch.text(workspaceId)
	scratch.uint16(retentionDays)
	for (const text of [name, kind, unit, description]) scratch.text(text)
	writeAttributes(scratch, redactor.othersIn(metadata))
	scratch.byte(Math.min(temporality, 255))
	scratch.byte(isMonotonic ? 1 : 0)
	return scratch.take()
}

/** Writes the columns in the order of `point-columns.ts`. */
function writePointRow(
	w: RowWriter,
	point: DataPoint,
	{ head, sender, options, redactor }: PointContext,
): void {
	checkTime(point.timeUnixNano, options, 'time_unix_nano')
	w.raw(head)
	w.int64(point.timeUnixNano)
	w.uint64(point.startTimeUnixNano)
	writeAttributes(w, redactor.othersIn(point.attributes))
	w.uint32(point.flags)
	writeNullable(w, point.asInt ?? null, (value) => w.int64(value))
	writeNullable(w, point.asDouble ?? null, (value) => w.float64(value))
	w.uint64(point.count ?? 0n)
	for (const value of [point.sum, point.min, point.max])
		writeNullable(w, value ?? null, (value) => w.float64(value))
	writeBuckets(w, point)
	writeArray(w, point.quantileValues ?? [], ({ quantile }) => w.float64(quantile))
	writeArray(w, point.quantileValues ?? [], ({ value }) => w.float64(value))
	w.text(exemplarsText(point.exemplars ?? [], redactor))
	w.raw(sender)
}

function writeBuckets(w: RowWriter, point: DataPoint): void {
	writeArray(w, point.bucketCounts ?? [], (value) => w.uint64(value))
	writeArray(w, point.explicitBounds ?? [], (value) => w.float64(value))
	w.int32(point.scale ?? 0)
	w.uint64(point.zeroCount ?? 0n)
	w.float64(point.zeroThreshold ?? 0)
	for (const buckets of [point.positive, point.negative]) {
		w.int32(buckets?.offset ?? 0)
		writeArray(w, buckets?.bucketCounts ?? [], (value) => w.uint64(value))
	}
}

/** OTLP's JSON form without fields that have their default value; '' if there are none. */
function exemplarsText(exemplars: readonly Exemplar[], redactor: Redactor): string {
	return exemplars.length === 0 ? '' : JSON.stringify(exemplars.map((exemplar) => toJson(exemplar, redactor)))
}

function toJson(
	{ timeUnixNano, asInt, asDouble, traceId, spanId, filteredAttributes }: Exemplar,
	redactor: Redactor,
): object {
	return {
		timeUnixNano: String(timeUnixNano),
		...(asInt !== null && { asInt: String(asInt) }),
		...(asDouble !== null && { asDouble: toOtlpJson(asDouble).doubleValue }),
		...(traceId !== '' && { traceId }),
		...(spanId !== '' && { spanId }),
		...(filteredAttributes.size > 0 && {
			filteredAttributes: toOtlpKeyValues(redactor.othersIn(filteredAttributes)),
		}),
	}
}
