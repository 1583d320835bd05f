import type { Link } from '@opentelemetry/api'
import { toNanoseconds } from './now.ts'
import type { OwnSpan } from './own-span.ts'
import { WireWriter } from './wire-writer.ts'
import { type Source, writeAttributes, writeEnvelope } from './write-attributes.ts'

/** An `ExportTraceServiceRequest`. */
export function writeSpans(spans: readonly OwnSpan[], source: Source): Buffer {
	const writer = new WireWriter()
	return writeEnvelope(writer, source, () => {
		for (const span of spans) writer.message(2, () => writeSpan(writer, span))
	})
}

function writeSpan(writer: WireWriter, span: OwnSpan): void {
	const { traceId, spanId, traceState, traceFlags } = span.spanContext()
	writer.hex(1, traceId)
	writer.hex(2, spanId)
	if (traceState) writer.text(3, traceState.serialize())
	if (span.parentSpanId) writer.hex(4, span.parentSpanId)
	writer.text(5, span.name)
	writer.int(6, span.kind + 1)
	writer.fixed64(7, toNanoseconds(span.startMs))
	writer.fixed64(8, toNanoseconds(span.endMs))
	writeAttributes(writer, 9, span.attributes)
	for (const link of span.links) writer.message(13, () => writeLink(writer, link))
	writer.message(15, () => {
		if (span.status.message) writer.text(2, span.status.message)
		writer.int(3, span.status.code)
	})
	writer.fixed32(16, traceFlags)
}

function writeLink(writer: WireWriter, { context }: Link): void {
	writer.hex(1, context.traceId)
	writer.hex(2, context.spanId)
	writer.fixed32(6, context.traceFlags)
}
