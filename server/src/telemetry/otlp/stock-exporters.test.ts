import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import {
	BatchSpanProcessor,
	InMemorySpanExporter,
	SimpleSpanProcessor,
	type SpanExporter,
	TracerProvider,
} from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { transcodeOptions } from './recorded/spans-of.testing.ts'
import { transcodeJson } from './transcode-json.ts'
import { transcodeProtobuf } from './transcode-protobuf.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

let workspaces = 0
const newWorkspace = () => `w${++workspaces}`

async function readTrace(traceId: string, workspaceId: string) {
	await server.stored()
	const response = await fetch(`${server.url}/v1/telemetry/traces/${traceId}`, {
		headers: { authorization: `key ${workspaceId}` },
	})
	return { status: response.status, body: (await response.json()) as { spans: Record<string, unknown>[] } }
}

describe.each([
	['protobuf', ProtobufExporter],
	['JSON', JsonExporter],
])('the stock exporter of OpenTelemetry for %s', (_name, Exporter) => {
	test.each(['none', 'gzip'] as const)(
		'sends spans with compression %s, and they are read back complete',
		async (compression) => {
			const workspaceId = newWorkspace()
			const exporter = new Exporter({
				url: `${server.url}/v1/traces`,
				headers: { authorization: `ingest ${workspaceId}` },
				compression: compression as never,
			})
			const { tracer, flush } = newTracer(exporter)
			const parent = tracer.startSpan('invoke_agent', { attributes: { 'session.id': 's1' } })
			const child = tracer.startSpan(
				'tools/call search',
				{
					kind: SpanKind.CLIENT,
					attributes: {
						'mcp.method.name': 'tools/call',
						'gen_ai.tool.name': 'search',
						count: 3,
						ratio: 0.5,
						ok: true,
						list: ['a', 'b'],
					},
					links: [{ context: { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), traceFlags: 1 } }],
				},
				trace.setSpan(ROOT_CONTEXT, parent),
			)
			child.addEvent('retry', { attempt: 2 })
			child.setStatus({ code: SpanStatusCode.ERROR, message: 'no such index' })
			child.end()
			parent.end()
			await flush()
			const { body } = await readTrace(parent.spanContext().traceId, workspaceId)
			const [readChild, readParent] = ['tools/call search', 'invoke_agent'].map((name) =>
				body.spans.find((span) => span.name === name),
			)
			expect(body.spans).toHaveLength(2)
			expect(readChild).toMatchObject({
				source: 'otlp',
				kind: 'tool_call',
				tool: 'search',
				status: 'error',
				status_message: 'no such index',
				parent_span_id: readParent?.span_id,
				service_name: expect.stringContaining('unknown_service'),
				attributes: { count: 3, ratio: 0.5, ok: true, list: ['a', 'b'] },
				events: [{ name: 'retry', attributes: [{ key: 'attempt', value: { intValue: '2' } }] }],
				links: [{ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }],
			})
			expect(readParent).toMatchObject({ kind: 'other', session_id: 's1', parent_span_id: null })
		},
	)
})

function newTracer(exporter: SpanExporter) {
	const provider = new TracerProvider({
		spanProcessors: [new BatchSpanProcessor({ exporter } as never)],
	} as never)
	return { tracer: provider.getTracer('test', '1.0'), flush: () => provider.shutdown() }
}

test('the stock serialisers write the same spans in both encodings, and both produce the same rows', async () => {
	const exporter = new InMemorySpanExporter()
	const provider = new TracerProvider({
		spanProcessors: [new SimpleSpanProcessor({ exporter } as never)],
	} as never)
	const tracer = provider.getTracer('scope', '2.0')
	for (let i = 0; i < 50; i++) {
		const span = tracer.startSpan(`chat ${i} ü`, {
			attributes: {
				'gen_ai.operation.name': 'chat',
				'gen_ai.usage.input_tokens': i,
				score: i / 3,
				none: [],
				mixed: ['a', 'é'],
				big: 2 ** 53,
			},
		})
		span.addEvent('chunk', { i })
		span.end()
	}
	await provider.forceFlush()
	const spans = exporter.getFinishedSpans()
	const [json, protobuf] = [JsonTraceSerializer, ProtobufTraceSerializer].map((serializer) =>
		Buffer.from(serializer.serializeRequest(spans) as Uint8Array),
	)
	const rows = transcodeProtobuf(protobuf as Buffer, transcodeOptions)
	expect(rows.count).toBe(50)
	expect(transcodeJson(json as Buffer, transcodeOptions).rows.equals(rows.rows)).toBe(true)
})
