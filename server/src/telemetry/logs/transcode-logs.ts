import { attributeText, typeOfAttribute } from '../attribute-text.ts'
import { encodeSpanBlock } from '../blocks/span-block.ts'
import { writeAttributes } from '../encode-row.ts'
import { checkTime } from '../otlp/check-time.ts'
import type { Decoded, DecodeOptions } from '../otlp/decoded.ts'
import type { Of } from '../otlp/message-codec.ts'
import { type LogRecord, logsRequest, type Resource } from '../otlp/messages.ts'
import { newOrigin } from '../otlp/origin.ts'
import { parseJsonBody } from '../otlp/parse-json.ts'
import { Rejected } from '../otlp/rejections.ts'
import { RowCollector } from '../otlp/row-collector.ts'
import { encodeSender } from '../otlp/sender.ts'
import { WireReader } from '../otlp/wire-reader.ts'
import { marked, type Redactor, redactorOf } from '../redaction/redactor.ts'
import type { RowWriter } from '../row-writer.ts'
import type { SpanRow } from '../span-row.ts'
import { callsToldBy, eventNameOf } from './told-calls.ts'

/** Turns an `ExportLogsServiceRequest` into rows. Throws `Malformed`; what is wrong inside a record rejects that record. */
export function transcodeLogsProtobuf(body: Buffer, options: DecodeOptions): Decoded {
	return toRows(logsRequest.readWhole(new WireReader(body)), options)
}

/** The same from OTLP's JSON form. */
export function transcodeLogsJson(body: Buffer, options: DecodeOptions): Decoded {
	return toRows(logsRequest.parse(parseJsonBody(body, 'logs'), ''), options)
}

function toRows(request: Of<typeof logsRequest>, options: DecodeOptions): Decoded {
	const rows = new RowCollector(options)
	const calls: SpanRow[] = []
	const redactor = redactorOf(options.rules)
	for (const { resource, scopeLogs, schemaUrl } of request.resourceLogs)
		for (const { scope, logRecords, schemaUrl: scopeSchemaUrl } of scopeLogs) {
			const sender = encodeSender(resource, schemaUrl, scope, scopeSchemaUrl, redactor)
			const kept: LogRecord[] = []
			for (const record of logRecords) {
				if (record instanceof Rejected) {
					rows.reject(record.message)
					continue
				}
				const shown = withoutPrivate(record, redactor)
				if (rows.add((w) => writeLogRow(w, shown, sender, options))) kept.push(shown)
			}
			const tells = kept.some((record) => eventNameOf(record) !== '')
			if (!tells) continue
			const origin = newOrigin(
				senderOf(resource, redactor),
				schemaUrl,
				senderOf(scope, redactor),
				scopeSchemaUrl,
			)
			calls.push(...callsToldBy(kept, origin, options))
		}
	const decoded = rows.take()
	return calls.length === 0
		? decoded
		: { ...decoded, calls: { rows: encodeSpanBlock(calls), count: calls.length } }
}

/** As the sender of spans. */
const senderOf = <T extends Resource>(sent: T, redactor: Redactor) => ({
	...sent,
	attributes: [...redactor.othersIn(sent.attributes)],
	dropped: sent.droppedAttributesCount,
})

/** The record without what is private in its body and in attributes that hold content. */
function withoutPrivate(record: LogRecord, redactor: Redactor): LogRecord {
	const found: Set<string> = new Set()
	const body = redactor.logBody(record.body, found)
	const attributes = redactor.attributesIn(record.attributes, found)
	return found.size === 0 ? record : { ...record, body, attributes: marked(attributes, found) }
}

/** In the order of `log-columns.ts`. */
function writeLogRow(w: RowWriter, record: LogRecord, sender: Buffer, options: DecodeOptions): void {
	const recordedAtNs = record.timeUnixNano || record.observedTimeUnixNano || options.nowNs
	checkTime(recordedAtNs, options, record.timeUnixNano ? 'time_unix_nano' : 'observed_time_unix_nano')
	w.text(options.workspaceId)
	w.uint16(options.retentionDays)
	w.int64(recordedAtNs)
	w.uint64(record.timeUnixNano)
	w.uint64(record.observedTimeUnixNano)
	w.hex(record.traceId, 16)
	w.hex(record.spanId, 8)
	w.uint32(record.flags)
	w.uint32(record.severityNumber)
	w.text(record.severityText)
	w.text(eventNameOf(record))
	w.text(attributeText(record.body))
	w.text(typeOfAttribute(record.body))
	writeAttributes(w, record.attributes)
	w.uint32(record.droppedAttributesCount)
	w.raw(sender)
}
