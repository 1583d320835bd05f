import { spanBlockWriter } from '../blocks/span-block.ts'
import { exceptionType } from '../normalise/exceptions.ts'
import { hotValuesOf, mapAttributes } from '../normalise/map-attributes.ts'
import { type Redactor, redactorOf, withRedactionMark } from '../redaction/redactor.ts'
import { newSpanRow, type SpanRow } from '../span-row.ts'
import {
	checkTime,
	type Decoded,
	type DecodeOptions,
	ExpandsTooFar,
	Rejected,
	type Rejections,
	reasons,
	statusOf,
} from './decoded.ts'
import {
	attributesIn,
	enumIn,
	hexIn,
	type Json,
	objectIn,
	objectsIn,
	parseJsonBody,
	textIn,
	uint32In,
	uint64In,
} from './json-fields.ts'
import { eventsText, linksText, type Occurrence } from './occurrences.ts'
import { newOrigin, noScope, noSender, type Origin, type Scope, type Sender } from './origin.ts'
import { Malformed } from './wire-reader.ts'

/** Converts an `ExportTraceServiceRequest` in OTLP's JSON form to rows. Throws `Malformed`; see `transcodeProtobuf`. */
export function transcodeJson(body: Buffer, options: DecodeOptions): Decoded {
	const request = parseJsonBody(body, 'traces')
	const writer = spanBlockWriter()
	const { block } = writer
	const rejections: Rejections = {}
	const redactor = redactorOf(options.rules)
	for (const { span, origin } of spansIn(request, redactor)) {
		try {
			writer.add(toRow(span, origin, options, redactor))
		} catch (error) {
			if (!(error instanceof Rejected || error instanceof Malformed)) throw error
			block.rollBack()
			rejections[error.message] = (rejections[error.message] ?? 0) + 1
		}
		if (block.rows % 16 === 0 && block.bytes > options.maxRowsBytes) throw new ExpandsTooFar()
	}
	const count = block.rows
	if (block.bytes > options.maxRowsBytes) throw new ExpandsTooFar()
	return { rows: block.take(), count, rejections }
}

function* spansIn(request: Json, redactor: Redactor): Generator<{ span: Json; origin: Origin }> {
	for (const resourceSpans of objectsIn(request, 'resourceSpans')) {
		const sender = readSender(objectIn(resourceSpans, 'resource'), redactor)
		for (const scopeSpans of objectsIn(resourceSpans, 'scopeSpans')) {
			const scope = readScope(objectIn(scopeSpans, 'scope'), redactor)
			const urls = [textIn(resourceSpans, 'schemaUrl'), textIn(scopeSpans, 'schemaUrl')] as const
			const origin = newOrigin(sender, urls[0], scope, urls[1])
			for (const span of objectsIn(scopeSpans, 'spans')) yield { span, origin }
		}
	}
}

function readSender(resource: Json | null, redactor: Redactor): Sender {
	if (!resource) return noSender
	return {
		attributes: redactor.others(attributesIn(resource, 'attributes')),
		dropped: uint32In(resource, 'droppedAttributesCount'),
	}
}

function readScope(scope: Json | null, redactor: Redactor): Scope {
	if (!scope) return noScope
	return {
		name: textIn(scope, 'name'),
		version: textIn(scope, 'version'),
		attributes: redactor.others(attributesIn(scope, 'attributes')),
		dropped: uint32In(scope, 'droppedAttributesCount'),
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

function toRow(span: Json, origin: Origin, options: DecodeOptions, redactor: Redactor): SpanRow {
	const ids = readIds(span)
	const startNs = uint64In(span, 'startTimeUnixNano')
	checkTime(startNs, options, 'start_time_unix_nano')
	const endNs = uint64In(span, 'endTimeUnixNano')
	const status = objectIn(span, 'status') ?? {}
	const found: Set<string> = new Set()
	const message = textIn(status, 'message')
	const statusMessage = redactor.message(message, found) ?? message
	const occurred = readEvents(span)
	const events = eventsText(occurred, redactor, found)
	const given = redactor.attributesIn(new Map(attributesIn(span, 'attributes')), found)
	const kind = enumIn(span, 'kind', kinds)
	const name = redactor.text(textIn(span, 'name'))
	const mapped = mapAttributes(hotValuesOf(given), origin.facts, {
		...{ startNs, otlpKind: kind, status: statusOf(enumIn(status, 'code', statusCodes)) },
		...{ exception: () => redactor.text(exceptionType(occurred)), name: () => name },
	})
	return newSpanRow({
		workspaceId: options.workspaceId,
		retentionDays: options.retentionDays,
		source: 'otlp',
		...ids,
		...mapped,
		name,
		traceState: textIn(span, 'traceState'),
		otlpKind: kind <= 5 ? kind : 0,
		statusMessage,
		startNs,
		durationNs: endNs > startNs ? endNs - startNs : 0n,
		serviceName: origin.facts.serviceName,
		scopeName: origin.scopeName,
		scopeVersion: origin.scopeVersion,
		attributes: withRedactionMark(given, found),
		resource: origin.resource,
		events,
		links: readLinks(span, redactor),
		droppedAttributes: uint32In(span, 'droppedAttributesCount'),
		droppedEvents: uint32In(span, 'droppedEventsCount'),
		droppedLinks: uint32In(span, 'droppedLinksCount'),
		flags: uint32In(span, 'flags'),
		resourceSchemaUrl: origin.resourceSchemaUrl,
		scopeSchemaUrl: origin.scopeSchemaUrl,
	})
}

function readIds(span: Json): Pick<SpanRow, 'traceId' | 'spanId' | 'parentSpanId'> {
	const traceId = idIn(span, 'traceId', 32, reasons.traceId)
	if (traceId === '') throw new Rejected(reasons.traceId)
	const spanId = idIn(span, 'spanId', 16, reasons.spanId)
	if (spanId === '') throw new Rejected(reasons.spanId)
	const parentSpanId = idIn(span, 'parentSpanId', 16, reasons.parentSpanId)
	return { traceId, spanId, parentSpanId }
}

/** An id in lower-case hex, or '' when it is absent or all zero. */
function idIn(span: Json, field: string, digits: number, reason: string): string {
	const id = span[field] ?? ''
	if (typeof id !== 'string' || (id !== '' && (id.length !== digits || !/^[0-9a-fA-F]+$/.test(id))))
		throw new Rejected(reason)
	return /^0*$/.test(id) ? '' : id.toLowerCase()
}

function readEvents(span: Json): Occurrence[] {
	return objectsIn(span, 'events').map((event) => ({
		timeNs: uint64In(event, 'timeUnixNano'),
		name: textIn(event, 'name'),
		attributes: attributesIn(event, 'attributes'),
		droppedAttributes: uint32In(event, 'droppedAttributesCount'),
	}))
}

function readLinks(span: Json, redactor: Redactor): string {
	return linksText(
		objectsIn(span, 'links').map((link) => ({
			traceId: hexIn(link, 'traceId'),
			spanId: hexIn(link, 'spanId'),
			traceState: textIn(link, 'traceState'),
			attributes: attributesIn(link, 'attributes'),
			droppedAttributes: uint32In(link, 'droppedAttributesCount'),
			flags: uint32In(link, 'flags'),
		})),
		redactor,
	)
}
