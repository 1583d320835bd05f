import { SpanStatusCode } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Signalbox } from './signalbox.ts'

export interface SentTrace {
	traceId: string
	rootSpanId: string
	childSpanId: string
}

/** Sends one trace of two spans with each of the stock exporters, with an ingest token. */
export async function sendSpans({ api, url }: Signalbox): Promise<SentTrace[]> {
	const { token } = await api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 'first call' }, 201)
	const options = { url: `${url}/v1/traces`, headers: { authorization: `Bearer ${token}` } }
	return Promise.all([sendTrace(new ProtobufExporter(options)), sendTrace(new JsonExporter(options))])
}

async function sendTrace(exporter: SpanExporter): Promise<SentTrace> {
	const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] })
	const tracer = provider.getTracer('first-call', '1.0.0')
	const { context, trace } = await import('@opentelemetry/api')
	const root = tracer.startSpan('plan the day', { attributes: { 'session.id': 'day-1', 'answer.count': 42 } })
	const child = tracer.startSpan('read the calendar', {}, trace.setSpan(context.active(), root))
	child.setStatus({ code: SpanStatusCode.ERROR, message: 'calendar is empty' })
	child.end()
	root.end()
	await provider.forceFlush()
	await provider.shutdown()
	return {
		traceId: root.spanContext().traceId,
		rootSpanId: root.spanContext().spanId,
		childSpanId: child.spanContext().spanId,
	}
}
