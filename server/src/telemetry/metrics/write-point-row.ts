import { toOtlpJson, toOtlpKeyValues } from '../attribute-text.ts'
import { writeArray, writeAttributes, writeNullable } from '../encode-row.ts'
import { checkTime } from '../otlp/check-time.ts'
import type { DecodeOptions } from '../otlp/decoded.ts'
import type { Exemplar, Metric } from '../otlp/messages.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { RowWriter } from '../row-writer.ts'
import type { DataPoint, Points } from './data-point.ts'

const scratch = new RowWriter()

/** What the points of a metric share. */
export interface PointContext {
	/** As `encodeMetric` gives it. */
	head: Buffer
	/** As `encodeSender` gives it. */
	sender: Buffer
	options: DecodeOptions
	redactor: Redactor
}

/** The columns `workspace_id` to `is_monotonic`, which the points of a metric share. */
export function encodeMetric(
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

/** In the order of `point-columns.ts`. */
export function writePointRow(
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

/** OTLP's JSON form, fields at their defaults left out; '' when there are none. */
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
