import { randomBytes } from 'node:crypto'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import {
	InMemorySpanExporter,
	type ReadableSpan,
	SimpleSpanProcessor,
	TracerProvider,
} from '@opentelemetry/sdk-trace'
import { sentence } from './words.ts'

type Attributes = Record<string, string | number>

/** An OTLP body whose spans get new ids and times each time it is sent. */
export interface Template {
	spans: number
	next(): Buffer
}

/** How bodies are sent: OTLP over HTTP in both encodings, and over gRPC. */
export type Format = 'protobuf' | 'json' | 'grpc'

interface Wanted {
	format?: Format
	startMs?: number
}

/** The positions in a body of what changes. */
interface Place {
	traceId: number
	spanId: number
	start: number
	end: number
	startNs: bigint
	endNs: bigint
}

const stepNs = 1_000_000n

/** 1,000 small spans of one service, from `startMs` on. */
export function smallSpans({ format = 'protobuf', startMs = Date.now() }: Wanted = {}): Template {
	const attributes = (index: number): Attributes => ({
		'http.request.method': 'GET',
		'url.path': `/v1/things/${index % 40}`,
		'http.response.status_code': index % 50 === 0 ? 404 : 200,
		'server.address': 'things.example',
		'thread.id': index % 16,
	})
	return template(finished('GET /v1/things', 1000, startMs, attributes), format)
}

/** 100 model calls with prompts and answers: about 3 kB each. */
export function modelSpans({ format = 'protobuf', startMs = Date.now() }: Wanted = {}): Template {
	const attributes = (index: number): Attributes => ({
		'gen_ai.operation.name': 'chat',
		'gen_ai.provider.name': 'openai',
		'gen_ai.request.model': 'gpt-5.6-sol',
		'gen_ai.response.model': 'gpt-5.6-sol-2026-10-01',
		'gen_ai.usage.input_tokens': 900 + index,
		'gen_ai.usage.output_tokens': 200,
		'gen_ai.usage.cache_read.input_tokens': 600,
		'gen_ai.conversation.id': `conversation-${index % 10}`,
		'gen_ai.input.messages': JSON.stringify([
			{ role: 'user', parts: [{ type: 'text', content: `${sentence(2000)} ada${index}@example.org` }] },
		]),
		'gen_ai.output.messages': JSON.stringify([
			{ role: 'assistant', parts: [{ type: 'text', content: sentence(800) }] },
		]),
	})
	return template(finished('chat gpt-5.6-sol', 100, startMs, attributes), format)
}

function finished(
	name: string,
	count: number,
	startMs: number,
	attributesOf: (index: number) => Attributes,
): ReadableSpan[] {
	const exporter = new InMemorySpanExporter()
	const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
	const tracer = provider.getTracer('bench', '1.0.0')
	for (let index = 0; index < count; index += 1)
		tracer
			.startSpan(name, { attributes: attributesOf(index), startTime: startMs + index })
			.end(startMs + index + 5 + (index % 90))
	return exporter.getFinishedSpans()
}

function template(spans: ReadableSpan[], format: Format): Template {
	const serializer = format === 'json' ? JsonTraceSerializer : ProtobufTraceSerializer
	const message = Buffer.from(serializer.serializeRequest(spans) as Uint8Array)
	const bytes = format === 'grpc' ? framed(message) : message
	const find = format === 'json' ? placeInJson : placeInProtobuf
	const places = spans.map((span) => find(bytes, span))
	const write = format === 'json' ? writeJson : writeProtobuf
	let made = 0n
	return { spans: spans.length, next: () => renewed(bytes, places, stepNs * ++made, write) }
}

/** As one gRPC message. */
function framed(message: Buffer): Buffer {
	const head = Buffer.alloc(5)
	head.writeUInt32BE(message.length, 1)
	return Buffer.concat([head, message])
}

const nsOf = ([seconds, nanoseconds]: ReadableSpan['startTime']) =>
	BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)

/** The trace id comes before the span id, and the end after the start, each preceded by a tag. */
function placeInProtobuf(bytes: Buffer, span: ReadableSpan): Place {
	const [startNs, endNs] = [nsOf(span.startTime), nsOf(span.endTime)]
	const time = Buffer.alloc(8)
	time.writeBigUInt64LE(startNs)
	const spanId = bytes.indexOf(Buffer.from(span.spanContext().spanId, 'hex'))
	const start = bytes.indexOf(time, spanId)
	return { traceId: spanId - 18, spanId, start, end: start + 9, startNs, endNs }
}

function placeInJson(bytes: Buffer, span: ReadableSpan): Place {
	const { traceId, spanId } = span.spanContext()
	const at = bytes.indexOf(`"${spanId}"`) + 1
	const behind = (key: string) => bytes.indexOf(`"${key}":"`, at) + key.length + 4
	const places = { start: behind('startTimeUnixNano'), end: behind('endTimeUnixNano') }
	return {
		...{ traceId: bytes.lastIndexOf(traceId, at), spanId: at, ...places },
		...{ startNs: nsOf(span.startTime), endNs: nsOf(span.endTime) },
	}
}

/** Writes ids and times of a span: `ids` has its span id and its trace id. */
type Write = (body: Buffer, place: Place, ids: { trace: Buffer; span: Buffer }, laterNs: bigint) => void

const writeProtobuf: Write = (body, place, { trace, span }, laterNs) => {
	body.set(trace, place.traceId)
	body.set(span, place.spanId)
	body.writeBigUInt64LE(place.startNs + laterNs, place.start)
	body.writeBigUInt64LE(place.endNs + laterNs, place.end)
}

const writeJson: Write = (body, place, { trace, span }, laterNs) => {
	body.write(trace.toString('hex'), place.traceId)
	body.write(span.toString('hex'), place.spanId)
	body.write(String(place.startNs + laterNs), place.start)
	body.write(String(place.endNs + laterNs), place.end)
}

/** Spans of a body that belong to one trace. */
const spansOfTrace = 10

/** Two identical bodies would count as an exporter's retry; and no real sender adds to the same traces for a minute. */
function renewed(bytes: Buffer, places: readonly Place[], laterNs: bigint, write: Write): Buffer {
	const copy = Buffer.from(bytes)
	const random = randomBytes(8 * places.length + 16)
	for (const [index, place] of places.entries()) {
		const ofTrace = (index - (index % spansOfTrace)) * 8
		const trace = random.subarray(ofTrace, ofTrace + 16)
		write(copy, place, { trace, span: random.subarray(index * 8, index * 8 + 8) }, laterNs)
	}
	return copy
}
