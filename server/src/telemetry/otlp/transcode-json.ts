import { type Decoded, type DecodeOptions, deepest, Rejected, type Rejections, reasons } from './decoded.ts'
import {
	booleanIn,
	bytesIn,
	doubleIn,
	enumIn,
	hexIn,
	int64In,
	isGiven,
	type Json,
	objectIn,
	objectsIn,
	parseJsonBody,
	textIn,
	uint32In,
	uint64In,
} from './json-fields.ts'
import { jsonToProtobuf, MessageFields } from './json-to-protobuf.ts'
import { transcodeProtobuf } from './transcode-protobuf.ts'
import { Malformed } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/**
 * Converts an `ExportTraceServiceRequest` in OTLP's JSON form to rows. It is encoded as protobuf first: there is one way from a span to its
 * row, and it reads bytes. Throws `Malformed`; an error inside a span rejects that span.
 */
export function transcodeJson(body: Buffer, options: DecodeOptions): Decoded {
	const usual = jsonToProtobuf(body, request)
	if (usual) return transcodeProtobuf(usual, options)
	const rejections: Rejections = {}
	const message = encodeRequest(parseJsonBody(body, 'traces'), body.length, rejections)
	const decoded = transcodeProtobuf(message, options)
	for (const [reason, count] of Object.entries(decoded.rejections))
		rejections[reason] = (rejections[reason] ?? 0) + count
	return { ...decoded, rejections }
}

// The field numbers, here and in the functions after these tables, are those of opentelemetry-proto 1.11.
const value: MessageFields = new MessageFields(
	{
		stringValue: (t) => t.text(1),
		intValue: (t) => t.integer(3),
		boolValue: (t) => t.boolean(2),
		doubleValue: (t) => t.double(4),
		arrayValue: (t) => t.nested(5, values),
		kvlistValue: (t) => t.nested(6, keyValues),
	},
	true,
)
const keyValue: MessageFields = new MessageFields({
	key: (t) => t.text(1),
	value: (t) => t.message(2, value),
})
const values = new MessageFields({ values: (t) => t.list(1, value) })
const keyValues = new MessageFields({ values: (t) => t.list(1, keyValue) })
const entityRef = new MessageFields({
	schemaUrl: (t) => t.text(1),
	type: (t) => t.text(2),
	idKeys: (t) => t.texts(3),
	descriptionKeys: (t) => t.texts(4),
})
const resource = new MessageFields({
	attributes: (t) => t.list(1, keyValue),
	droppedAttributesCount: (t) => t.uint32(2),
	entityRefs: (t) => t.list(3, entityRef),
})
const scope = new MessageFields({
	name: (t) => t.text(1),
	version: (t) => t.text(2),
	attributes: (t) => t.list(3, keyValue),
	droppedAttributesCount: (t) => t.uint32(4),
})
const event = new MessageFields({
	timeUnixNano: (t) => t.time(1),
	name: (t) => t.text(2),
	attributes: (t) => t.list(3, keyValue),
	droppedAttributesCount: (t) => t.uint32(4),
})
const link = new MessageFields({
	traceId: (t) => t.id(1, 16),
	spanId: (t) => t.id(2, 8),
	traceState: (t) => t.text(3),
	attributes: (t) => t.list(4, keyValue),
	droppedAttributesCount: (t) => t.uint32(5),
	flags: (t) => t.fixed32(6),
})
const status = new MessageFields({ message: (t) => t.text(2), code: (t) => t.uint32(3) })
const span = new MessageFields({
	traceId: (t) => t.id(1, 16),
	spanId: (t) => t.id(2, 8),
	traceState: (t) => t.text(3),
	parentSpanId: (t) => t.optionalId(4, 8),
	name: (t) => t.text(5),
	kind: (t) => t.uint32(6),
	startTimeUnixNano: (t) => t.time(7),
	endTimeUnixNano: (t) => t.time(8),
	attributes: (t) => t.list(9, keyValue),
	droppedAttributesCount: (t) => t.uint32(10),
	events: (t) => t.list(11, event),
	droppedEventsCount: (t) => t.uint32(12),
	links: (t) => t.list(13, link),
	droppedLinksCount: (t) => t.uint32(14),
	status: (t) => t.message(15, status),
	flags: (t) => t.fixed32(16),
})
const scopeSpans = new MessageFields({
	scope: (t) => t.message(1, scope),
	spans: (t) => t.list(2, span),
	schemaUrl: (t) => t.text(3),
})
const resourceSpans = new MessageFields({
	resource: (t) => t.message(1, resource),
	scopeSpans: (t) => t.list(2, scopeSpans),
	schemaUrl: (t) => t.text(3),
})
/** What exporters write is encoded by these tables, in a third of the time of the functions below, which read any body. */
export const request = new MessageFields({ resourceSpans: (t) => t.list(1, resourceSpans) })

/** A message is shorter in protobuf than in JSON. */
function encodeRequest(parsed: Json, capacity: number, rejections: Rejections): Buffer {
	const w = new WireWriter(capacity)
	for (const resourceSpans of objectsIn(parsed, 'resourceSpans')) {
		const ofResource = w.begin(1)
		const resource = objectIn(resourceSpans, 'resource')
		if (resource) writeResource(w, resource)
		for (const scopeSpans of objectsIn(resourceSpans, 'scopeSpans')) {
			const ofScope = w.begin(2)
			const scope = objectIn(scopeSpans, 'scope')
			if (scope) writeScope(w, scope)
			for (const span of objectsIn(scopeSpans, 'spans')) writeSpanOrReject(w, span, rejections)
			writeText(w, 3, scopeSpans, 'schemaUrl')
			w.end(ofScope)
		}
		writeText(w, 3, resourceSpans, 'schemaUrl')
		w.end(ofResource)
	}
	return w.toBuffer()
}

function writeResource(w: WireWriter, resource: Json): void {
	const from = w.begin(1)
	writeAttributes(w, 1, resource, 'attributes')
	writeCount(w, 2, resource, 'droppedAttributesCount')
	w.end(from)
}

function writeScope(w: WireWriter, scope: Json): void {
	const from = w.begin(1)
	writeText(w, 1, scope, 'name')
	writeText(w, 2, scope, 'version')
	writeAttributes(w, 3, scope, 'attributes')
	writeCount(w, 4, scope, 'droppedAttributesCount')
	w.end(from)
}

function writeSpanOrReject(w: WireWriter, span: Json, rejections: Rejections): void {
	const before = w.length
	try {
		const from = w.begin(2)
		writeSpan(w, span)
		w.end(from)
	} catch (error) {
		if (!(error instanceof Rejected || error instanceof Malformed)) throw error
		w.rewind(before)
		rejections[error.message] = (rejections[error.message] ?? 0) + 1
	}
}

const kinds = {
	SPAN_KIND_UNSPECIFIED: 0,
	SPAN_KIND_INTERNAL: 1,
	SPAN_KIND_SERVER: 2,
	SPAN_KIND_CLIENT: 3,
	SPAN_KIND_PRODUCER: 4,
	SPAN_KIND_CONSUMER: 5,
}
const statusCodes = { STATUS_CODE_UNSET: 0, STATUS_CODE_OK: 1, STATUS_CODE_ERROR: 2 }

const zeroTraceId = '0'.repeat(32)
const zeroSpanId = '0'.repeat(16)

function writeSpan(w: WireWriter, span: Json): void {
	const { traceId, spanId, parentSpanId: parent } = span
	if (traceId === zeroTraceId) throw new Rejected(reasons.traceId)
	writeId(w, 1, traceId, 32, reasons.traceId)
	if (spanId === zeroSpanId) throw new Rejected(reasons.spanId)
	writeId(w, 2, spanId, 16, reasons.spanId)
	writeText(w, 3, span, 'traceState')
	if (isGiven(parent) && parent !== '') writeId(w, 4, parent, 16, reasons.parentSpanId)
	writeText(w, 5, span, 'name')
	w.uint(6, enumIn(span, 'kind', kinds))
	w.fixed64(7, uint64In(span, 'startTimeUnixNano'))
	w.fixed64(8, uint64In(span, 'endTimeUnixNano'))
	writeAttributes(w, 9, span, 'attributes')
	writeCount(w, 10, span, 'droppedAttributesCount')
	for (const event of objectsIn(span, 'events')) writeEvent(w, event)
	writeCount(w, 12, span, 'droppedEventsCount')
	for (const link of objectsIn(span, 'links')) writeLink(w, link)
	writeCount(w, 14, span, 'droppedLinksCount')
	const status = objectIn(span, 'status')
	if (status) writeStatus(w, status)
	if (isGiven(span.flags)) w.fixed32(16, uint32In(span, 'flags'))
}

function writeId(w: WireWriter, field: number, id: unknown, digits: number, reason: string): void {
	if (typeof id !== 'string' || id.length !== digits || w.hex(field, id) !== digits / 2)
		throw new Rejected(reason)
}

function writeEvent(w: WireWriter, event: Json): void {
	const from = w.begin(11)
	w.fixed64(1, uint64In(event, 'timeUnixNano'))
	writeText(w, 2, event, 'name')
	writeAttributes(w, 3, event, 'attributes')
	writeCount(w, 4, event, 'droppedAttributesCount')
	w.end(from)
}

function writeLink(w: WireWriter, link: Json): void {
	const from = w.begin(13)
	w.hex(1, hexIn(link, 'traceId'))
	w.hex(2, hexIn(link, 'spanId'))
	writeText(w, 3, link, 'traceState')
	writeAttributes(w, 4, link, 'attributes')
	writeCount(w, 5, link, 'droppedAttributesCount')
	if (isGiven(link.flags)) w.fixed32(6, uint32In(link, 'flags'))
	w.end(from)
}

function writeStatus(w: WireWriter, status: Json): void {
	const from = w.begin(15)
	writeText(w, 2, status, 'message')
	w.uint(3, enumIn(status, 'code', statusCodes))
	w.end(from)
}

function writeText(w: WireWriter, field: number, json: Json, name: string): void {
	const text = textIn(json, name)
	if (text !== '') w.text(field, text)
}

function writeCount(w: WireWriter, field: number, json: Json, name: string): void {
	if (isGiven(json[name])) w.uint(field, uint32In(json, name))
}

function writeAttributes(w: WireWriter, field: number, json: Json, name: string, depth = 0): void {
	for (const entry of objectsIn(json, name)) {
		const from = w.begin(field)
		w.text(1, textIn(entry, 'key'))
		const value = objectIn(entry, 'value')
		if (value) writeValue(w, 2, value, depth)
		w.end(from)
	}
}

/** An `AnyValue`; of several values, which JSON allows, the first of these is taken. */
function writeValue(w: WireWriter, field: number, json: Json, depth: number): void {
	if (depth > deepest) throw new Rejected(reasons.tooDeep)
	const from = w.begin(field)
	if (isGiven(json.stringValue)) w.text(1, textIn(json, 'stringValue'))
	else if (isGiven(json.intValue)) writeInteger(w, json)
	else if (isGiven(json.doubleValue)) w.double(4, doubleIn(json, 'doubleValue'))
	else if (isGiven(json.boolValue)) w.uint(2, booleanIn(json, 'boolValue') ? 1 : 0)
	else if (isGiven(json.bytesValue)) w.bytes(7, bytesIn(json, 'bytesValue'))
	else writeValues(w, json, depth)
	w.end(from)
}

function writeInteger(w: WireWriter, json: Json): void {
	const { intValue } = json
	// Most integers are small numbers, which need no bigint.
	if (typeof intValue === 'number' && intValue >= 0 && Number.isSafeInteger(intValue)) w.uint(3, intValue)
	else w.int(3, int64In(json, 'intValue'))
}

function writeValues(w: WireWriter, json: Json, depth: number): void {
	const array = objectIn(json, 'arrayValue')
	const kvlist = array ? null : objectIn(json, 'kvlistValue')
	if (!array && !kvlist) return
	const from = w.begin(array ? 5 : 6)
	if (array) for (const value of objectsIn(array, 'values')) writeValue(w, 1, value, depth + 1)
	else writeAttributes(w, 1, kvlist as Json, 'values', depth + 1)
	w.end(from)
}
