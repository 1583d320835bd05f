import { randomBytes } from 'node:crypto'
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { Pool } from 'undici'
import type { Program } from '../../server/src/program.testing.ts'
import { quantile } from './load.ts'

export interface IngestFigures {
	acknowledgedPerSecond: number
	/** From the first span sent to the last one in ClickHouse. */
	storedPerSecond: number
	spans: number
	ackP50Ms: number
	ackP99Ms: number
}

const spansPerBody = 1000
const senders = 8

/** Sends OTLP/protobuf bodies of 1,000 small spans for `durationMs`, each acknowledged after it is on disk. */
export async function measureIngest(
	program: Program,
	token: string,
	durationMs: number,
): Promise<IngestFigures> {
	const template = makeBody()
	const latencies: number[] = []
	const before = await storedRows(program)
	const startMs = performance.now()
	await sendFor(durationMs, () => sendBody(program.url, token, withFreshIds(template)), latencies)
	const acknowledgedMs = performance.now() - startMs
	const spans = latencies.length * spansPerBody
	while ((await storedRows(program)) - before < spans) await new Promise((resolve) => setTimeout(resolve, 20))
	const storedMs = performance.now() - startMs
	latencies.sort((a, b) => a - b)
	return {
		spans,
		acknowledgedPerSecond: (spans * 1000) / acknowledgedMs,
		storedPerSecond: (spans * 1000) / storedMs,
		ackP50Ms: quantile(latencies, 0.5),
		ackP99Ms: quantile(latencies, 0.99),
	}
}

async function sendFor(durationMs: number, send: () => Promise<void>, latencies: number[]): Promise<void> {
	const endMs = performance.now() + durationMs
	const sender = async () => {
		while (performance.now() < endMs) {
			const sentMs = performance.now()
			await send()
			latencies.push(performance.now() - sentMs)
		}
	}
	await Promise.all(Array.from({ length: senders }, sender))
}

const pools = new Map<string, Pool>()

async function sendBody(url: string, token: string, body: Buffer): Promise<void> {
	const pool = pools.get(url) ?? new Pool(url, { connections: senders })
	pools.set(url, pool)
	const headers = { 'content-type': 'application/x-protobuf', authorization: `Bearer ${token}` }
	const response = await pool.request({ method: 'POST', path: '/v1/traces', headers, body })
	const text = await response.body.text()
	if (response.statusCode !== 200) throw new Error(`The receiver answered ${response.statusCode}: ${text}`)
}

/** Rows that the program says are in ClickHouse. */
async function storedRows(program: Program): Promise<number> {
	const text = await (await fetch(`${program.url}/metrics`)).text()
	const line = text.match(/^signalbox_telemetry_stored_rows (\S+)/m)
	if (!line) throw new Error('/metrics does not tell signalbox_telemetry_stored_rows.')
	return Number(line[1])
}

interface Template {
	bytes: Buffer
	/** Where each span's id stands. */
	offsets: number[]
}

/** A body as the stock exporter writes it: one service, spans with five attributes. */
function makeBody(): Template {
	const exporter = new InMemorySpanExporter()
	const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
	const tracer = provider.getTracer('bench', '1.0.0')
	const attributes = {
		'http.request.method': 'GET',
		'url.path': '/v1/things',
		'http.response.status_code': 200,
		'server.address': 'things.example',
	}
	for (let index = 0; index < spansPerBody; index += 1) {
		tracer.startSpan('GET /v1/things', { attributes: { ...attributes, 'thread.id': index } }).end()
	}
	const spans = exporter.getFinishedSpans()
	const bytes = Buffer.from(ProtobufTraceSerializer.serializeRequest(spans) as Uint8Array)
	const offsets = spans.map((span) => bytes.indexOf(Buffer.from(span.spanContext().spanId, 'hex')))
	return { bytes, offsets }
}

/** Two bodies that are equal byte for byte would count as an exporter's retry. */
function withFreshIds({ bytes, offsets }: Template): Buffer {
	const copy = Buffer.from(bytes)
	const random = randomBytes(8 * offsets.length)
	for (const [index, offset] of offsets.entries()) random.copy(copy, offset, index * 8, index * 8 + 8)
	return copy
}
