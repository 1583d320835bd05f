import type { Decoded, DecodeOptions } from '../otlp/decoded.ts'
import type { Of } from '../otlp/message-codec.ts'
import { type Metric, metricsRequest } from '../otlp/messages.ts'
import { parseJsonBody } from '../otlp/parse-json.ts'
import { Rejected } from '../otlp/rejections.ts'
import { RowCollector } from '../otlp/row-collector.ts'
import { encodeSender } from '../otlp/sender.ts'
import { WireReader } from '../otlp/wire-reader.ts'
import { redactorOf } from '../redaction/redactor.ts'
import { type DataPoint, pointsOf } from './data-point.ts'
import { encodeMetric, type PointContext, writePointRow } from './write-point-row.ts'

/** Turns an `ExportMetricsServiceRequest` into one row a data point. Throws `Malformed`; what is wrong inside a point rejects that point. */
export function transcodeMetricsProtobuf(body: Buffer, options: DecodeOptions): Decoded {
	return toRows(metricsRequest.readWhole(new WireReader(body)), options)
}

/** The same from OTLP's JSON form. */
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
