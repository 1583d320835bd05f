import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import type { DecodeOptions } from '../decoded.ts'
import { WireWriter } from '../wire-writer.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Bytes that this process uses after garbage collection: objects, and buffers outside the heap. */
export function settledMemory(): number {
	// The first collection leaves up to 40 MB to the second.
	for (let times = 0; times < 2; times++) collect()
	const { heapUsed, external } = process.memoryUsage()
	return heapUsed + external
}

/** Nothing is too old, too new or too large. */
export const decodeOptions: DecodeOptions = {
	retentionDays: 30,
	workspaceId: 'w1',
	oldestNs: 0n,
	nowNs: 1_790_000_000_000_000_000n,
	newestNs: 2n ** 63n - 1n,
	maxRowsBytes: 2 ** 26,
}

/** Requests in OTLP's JSON form with every kind of value, and functions to send them in both encodings. */
type AnyValue = { [field: string]: unknown }
interface KeyValue {
	key: string
	value: AnyValue
}
interface Span {
	traceId: string
	spanId: string
	parentSpanId: string
	traceState: string
	name: string
	kind: number
	startTimeUnixNano: string
	endTimeUnixNano: string
	attributes: KeyValue[]
	droppedAttributesCount: number
	events: { timeUnixNano: string; name: string; attributes: KeyValue[]; droppedAttributesCount: number }[]
	droppedEventsCount: number
	links: {
		traceId: string
		spanId: string
		traceState: string
		attributes: KeyValue[]
		droppedAttributesCount: number
		flags: number
	}[]
	droppedLinksCount: number
	status: { code: number; message: string }
	flags: number
}
export interface Request {
	resourceSpans: {
		resource: { attributes: KeyValue[]; droppedAttributesCount?: number }
		schemaUrl: string
		scopeSpans: {
			scope: { name: string; version: string; attributes: KeyValue[]; droppedAttributesCount?: number }
			schemaUrl: string
			spans: Span[]
		}[]
	}[]
}

const text = fc.oneof(
	fc.string({ unit: 'grapheme' }),
	fc.string({ unit: 'grapheme', minLength: 50, maxLength: 200 }),
)
const int64 = fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })).map(String)
const scalar = fc.oneof(
	text.map((stringValue) => ({ stringValue })),
	int64.map((intValue) => ({ intValue })),
	fc.double().map((value) => ({
		doubleValue:
			Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? '-0' : String(value),
	})),
	fc.boolean().map((boolValue) => ({ boolValue })),
	fc.uint8Array().map((bytes) => ({ bytesValue: Buffer.from(bytes).toString('base64') })),
	fc.constant({}),
)
const key = fc.oneof(
	text,
	fc.constantFrom(
		'__proto__',
		'constructor',
		'',
		'7',
		'gen_ai.operation.name',
		'gen_ai.request.model',
		'mcp.method.name',
		'mcp.tool.name',
		'session.id',
		'user.id',
		'service.name',
		'error.type',
	),
	fc.constantFrom(
		'gen_ai.input.messages',
		'gen_ai.prompt.0.content',
		'mcp.request.argument.query',
		'input.value',
		'langfuse.observation.output',
		'signalbox.redacted',
	),
	fc.constantFrom(
		'signalbox.event',
		'otel.resource.dropped_attributes_count',
		'otel.scope.dropped_attributes_count',
		'otel.scope.name',
	),
	fc.constantFrom(
		'gen_ai.usage.input_tokens',
		'gen_ai.usage.output_tokens',
		'gen_ai.usage.cache_read.input_tokens',
		'gen_ai.usage.reasoning.output_tokens',
		'rpc.response.status_code',
		'http.response.status_code',
		'gen_ai.response.time_to_first_chunk',
	),
	fc.constantFrom(
		'langfuse.observation.type',
		'langfuse.observation.completion_start_time',
		'mlflow.spanType',
		'mlflow.chat.tokenUsage',
		'braintrust.span_attributes',
		'ai.response.providerMetadata',
		'gen_ai.agent.name',
		'mcp.server.name',
	),
)
const { value } = fc.letrec<{ value: AnyValue }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small' },
		scalar,
		scalar,
		fc.constantFrom(
			{ stringValue: 'chat' },
			{ stringValue: 'tools/call' },
			{ stringValue: 'tool' },
			{ stringValue: '{"type":"llm","input_tokens":7,"anthropic":{"cacheReadInputTokens":3}}' },
			{ stringValue: 'mail jane@example.com' },
			{ stringValue: '{"password":"correct horse","card":"4111 1111 1111 1111"}' },
			{ intValue: '12' },
			{ doubleValue: 0.25 },
		),
		fc.array(tie('value'), { maxLength: 4 }).map((values) => ({ arrayValue: { values } })),
		fc
			.array(fc.record({ key, value: tie('value') }), { maxLength: 4 })
			.map((values) => ({ kvlistValue: { values } })),
	),
}))
const attributes = fc.array(fc.record({ key, value }), { maxLength: 12 })
const manyAttributes = fc.array(fc.record({ key: fc.string({ maxLength: 2 }), value: scalar }), {
	minLength: 60,
	maxLength: 150,
})
const hex = (digits: number) =>
	fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })
const uint32 = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)

const span: fc.Arbitrary<Span> = fc.record({
	traceId: fc.oneof(
		{ weight: 9, arbitrary: hex(32) },
		{ weight: 1, arbitrary: fc.constantFrom('', '0'.repeat(32), 'abcd') },
	),
	spanId: fc.oneof(
		{ weight: 9, arbitrary: hex(16) },
		{ weight: 1, arbitrary: fc.constantFrom('', '0'.repeat(16), 'abcd') },
	),
	parentSpanId: fc.oneof(hex(16), fc.constantFrom('', '0'.repeat(16), 'ab')),
	traceState: text,
	name: text,
	kind: fc.nat(9),
	startTimeUnixNano: uint64,
	endTimeUnixNano: uint64,
	attributes: fc.oneof({ weight: 9, arbitrary: attributes }, { weight: 1, arbitrary: manyAttributes }),
	droppedAttributesCount: uint32,
	events: fc.array(
		fc.record({
			timeUnixNano: uint64,
			name: fc.oneof(text, fc.constant('gen_ai.user.message')),
			attributes,
			droppedAttributesCount: uint32,
		}),
		{ maxLength: 2 },
	),
	droppedEventsCount: uint32,
	links: fc.array(
		fc.record({
			traceId: hex(32),
			spanId: hex(16),
			traceState: text,
			attributes,
			droppedAttributesCount: uint32,
			flags: uint32,
		}),
		{ maxLength: 2 },
	),
	droppedLinksCount: uint32,
	status: fc.record({
		code: fc.nat(4),
		message: fc.oneof(text, fc.constant('no account jane@example.com')),
	}),
	flags: uint32,
})

export const requests: fc.Arbitrary<Request> = fc.record({
	resourceSpans: fc.array(
		fc.record({
			resource: fc.record({ attributes, droppedAttributesCount: uint32 }),
			schemaUrl: text,
			scopeSpans: fc.array(
				fc.record({
					scope: fc.record({
						name: text,
						version: text,
						attributes: fc.array(fc.record({ key, value }), { maxLength: 2 }),
						droppedAttributesCount: uint32,
					}),
					schemaUrl: text,
					spans: fc.array(span, { maxLength: 3 }),
				}),
				{ maxLength: 2 },
			),
		}),
		{ maxLength: 2 },
	),
})

export function toJsonBody(request: Request): Buffer {
	return Buffer.from(JSON.stringify(request))
}

/** The same request in protobuf. */
export function encodeRequest(request: Request): Buffer {
	const w = new WireWriter()
	for (const { resource, schemaUrl, scopeSpans } of request.resourceSpans)
		w.message(1, (w) => {
			// Out of order on purpose, which protobuf allows.
			for (const scoped of scopeSpans) w.message(2, (w) => writeScopeSpans(w, scoped))
			w.text(3, schemaUrl)
			w.message(1, (w) => {
				writeAttributes(w, 1, resource.attributes)
				w.int(2, BigInt(resource.droppedAttributesCount ?? 0))
			})
		})
	return w.toBuffer()
}

function writeScopeSpans(
	w: WireWriter,
	{ scope, schemaUrl, spans }: Request['resourceSpans'][number]['scopeSpans'][number],
): void {
	w.message(1, (w) => {
		w.text(1, scope.name)
		w.text(2, scope.version)
		writeAttributes(w, 3, scope.attributes)
		w.int(4, BigInt(scope.droppedAttributesCount ?? 0))
	})
	for (const item of spans) w.message(2, (w) => writeSpan(w, item))
	w.text(3, schemaUrl)
}

function writeSpan(w: WireWriter, span: Span): void {
	w.bytes(1, Buffer.from(span.traceId, 'hex'))
	w.bytes(2, Buffer.from(span.spanId, 'hex'))
	w.text(3, span.traceState)
	w.bytes(4, Buffer.from(span.parentSpanId, 'hex'))
	w.text(5, span.name)
	w.int(6, BigInt(span.kind))
	w.fixed64(7, BigInt(span.startTimeUnixNano))
	w.fixed64(8, BigInt(span.endTimeUnixNano))
	writeAttributes(w, 9, span.attributes)
	w.int(10, BigInt(span.droppedAttributesCount))
	for (const event of span.events)
		w.message(11, (w) => {
			w.fixed64(1, BigInt(event.timeUnixNano))
			w.text(2, event.name)
			writeAttributes(w, 3, event.attributes)
			w.int(4, BigInt(event.droppedAttributesCount))
		})
	w.int(12, BigInt(span.droppedEventsCount))
	for (const link of span.links)
		w.message(13, (w) => {
			w.bytes(1, Buffer.from(link.traceId, 'hex'))
			w.bytes(2, Buffer.from(link.spanId, 'hex'))
			w.text(3, link.traceState)
			writeAttributes(w, 4, link.attributes)
			w.int(5, BigInt(link.droppedAttributesCount))
			w.fixed32(6, link.flags)
		})
	w.int(14, BigInt(span.droppedLinksCount))
	w.message(15, (w) => {
		w.text(2, span.status.message)
		w.int(3, BigInt(span.status.code))
	})
	w.fixed32(16, span.flags)
	w.text(900, 'a field of the future')
}

function writeAttributes(w: WireWriter, field: number, attributes: KeyValue[]): void {
	for (const { key, value } of attributes)
		w.message(field, (w) => {
			w.text(1, key)
			w.message(2, (w) => writeValue(w, value))
		})
}

function writeValue(w: WireWriter, value: AnyValue): void {
	const list = (value.arrayValue ?? value.kvlistValue) as { values: never[] } | undefined
	if ('stringValue' in value) w.bytes(1, Buffer.from(value.stringValue as string))
	if ('boolValue' in value) w.int(2, value.boolValue ? 1n : 0n)
	if ('intValue' in value) w.int(3, BigInt(value.intValue as string))
	if ('doubleValue' in value) w.double(4, Number(value.doubleValue))
	if ('arrayValue' in value)
		w.message(5, (w) => {
			for (const item of list?.values ?? []) w.message(1, (w) => writeValue(w, item))
		})
	if ('kvlistValue' in value) w.message(6, (w) => writeAttributes(w, 1, list?.values ?? []))
	if ('bytesValue' in value) w.bytes(7, Buffer.from(value.bytesValue as string, 'base64'))
}
