import { randomBytes } from 'node:crypto'
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { sentence } from './words.ts'

type Attributes = Record<string, string | number>

/** A body of OTLP whose spans get new ids and times each time it is sent. */
export interface Template {
	spans: number
	next(): Buffer
}

interface Place {
	/** Before the id of the span, with the tags of both. */
	traceId: number
	spanId: number
	/** Of the start; the end stands behind it. */
	times: number
}

const stepNs = 1_000_000n

/** 1,000 small spans of one service, from `startMs` on. */
export function smallSpans(startMs = Date.now()): Template {
	const attributes = (index: number): Attributes => ({
		'http.request.method': 'GET',
		'url.path': `/v1/things/${index % 40}`,
		'http.response.status_code': index % 50 === 0 ? 404 : 200,
		'server.address': 'things.example',
		'thread.id': index % 16,
	})
	return template('GET /v1/things', 1000, startMs, attributes)
}

/** 100 calls of a model, with what was asked and answered: about 3 kB each. */
export function modelSpans(): Template {
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
	return template('chat gpt-5.6-sol', 100, Date.now(), attributes)
}

function template(
	name: string,
	count: number,
	startMs: number,
	attributesOf: (index: number) => Attributes,
): Template {
	const exporter = new InMemorySpanExporter()
	const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
	const tracer = provider.getTracer('bench', '1.0.0')
	for (let index = 0; index < count; index += 1)
		tracer
			.startSpan(name, { attributes: attributesOf(index), startTime: startMs + index })
			.end(startMs + index + 5 + (index % 90))
	const spans = exporter.getFinishedSpans()
	const bytes = Buffer.from(ProtobufTraceSerializer.serializeRequest(spans) as Uint8Array)
	const places = spans.map((span): Place => {
		const [seconds, nanoseconds] = span.startTime
		const start = Buffer.alloc(8)
		start.writeBigUInt64LE(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds))
		const spanId = bytes.indexOf(Buffer.from(span.spanContext().spanId, 'hex'))
		return { traceId: spanId - 18, spanId, times: bytes.indexOf(start, spanId) }
	})
	let made = 0n
	return { spans: count, next: () => renewed(bytes, places, stepNs * ++made) }
}

/** Spans of a body that are one trace. */
const spansOfTrace = 10

/** Two bodies that are equal byte for byte would count as an exporter's retry, and no sender adds to the same traces for a minute. */
function renewed(bytes: Buffer, places: readonly Place[], laterNs: bigint): Buffer {
	const copy = Buffer.from(bytes)
	const random = randomBytes(8 * places.length + 16)
	for (const [index, { traceId, spanId, times }] of places.entries()) {
		random.copy(copy, spanId, index * 8, index * 8 + 8)
		const ofTrace = (index - (index % spansOfTrace)) * 8
		random.copy(copy, traceId, ofTrace, ofTrace + 16)
		// The tag of the end is one byte.
		for (const at of [times, times + 9]) copy.writeBigUInt64LE(copy.readBigUInt64LE(at) + laterNs, at)
	}
	return copy
}
