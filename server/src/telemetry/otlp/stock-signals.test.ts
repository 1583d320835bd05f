import { Metadata } from '@grpc/grpc-js'
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc'
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc'
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const http = (path: string, workspace: string) => ({
	url: `${server.url}${path}`,
	headers: { authorization: `ingest ${workspace}` },
})
function grpc(workspace: string) {
	const metadata = new Metadata()
	metadata.set('authorization', `ingest ${workspace}`)
	return { url: `http://${server.grpc}`, metadata, compression: 'gzip' as never }
}
const read = async (sql: string, workspace: string) => {
	await server.stored()
	return server.store.query(sql, { w: workspace })
}

describe('the stock exporters of OpenTelemetry', () => {
	test.each([
		['json', () => new JsonLogs(http('/v1/logs', 'logs-json'))],
		['protobuf', () => new ProtobufLogs(http('/v1/logs', 'logs-protobuf'))],
		['grpc', () => new GrpcLogs(grpc('logs-grpc'))],
	])('send logs over %s', async (name, newExporter) => {
		const exporter = newExporter() as never
		const provider = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter } as never)] })
		const body = { question: 'why', list: [1, 2.5, true], bytes: new Uint8Array([1, 2]) }
		provider.getLogger('test', '1.0').emit({
			severityNumber: 9,
			severityText: 'INFO',
			body,
			eventName: 'asked',
			attributes: { n: 3 },
		} as never)
		await provider.shutdown()
		const rows = await read('SELECT * FROM logs WHERE workspace_id = {w:String}', `logs-${name}`)
		expect(rows).toMatchObject([
			{
				severity_number: 9,
				severity_text: 'INFO',
				event_name: 'asked',
				body_type: 'kvlist',
				attributes: { n: '3' },
			},
		])
		expect((rows[0] as { body: string }).body).toContain('AQI=')
	})

	test.each([
		['json', () => new JsonMetrics(http('/v1/metrics', 'metrics-json'))],
		['protobuf', () => new ProtobufMetrics(http('/v1/metrics', 'metrics-protobuf'))],
		['grpc', () => new GrpcMetrics(grpc('metrics-grpc'))],
	])('send metrics over %s', async (name, newExporter) => {
		const reader = new PeriodicExportingMetricReader({
			exporter: newExporter() as never,
			exportIntervalMillis: 60_000,
		})
		const views = [
			{ instrumentName: 'sizes', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } } as never,
		]
		const provider = new MeterProvider({ readers: [reader], views })
		const meter = provider.getMeter('test', '1.0')
		meter.createCounter('calls', { unit: '{call}', description: 'Calls' }).add(3, { tool: 'echo' })
		meter.createHistogram('seconds', { unit: 's' }).record(0.25)
		meter.createHistogram('sizes').record(1000)
		meter.createGauge('load').record(0.5)
		await provider.shutdown()
		const rows = await read(
			'SELECT metric, kind, unit, is_monotonic, temporality, count, value_double, attributes, arraySum(positive_counts) AS positive FROM metrics WHERE workspace_id = {w:String} ORDER BY metric',
			`metrics-${name}`,
		)
		expect(rows).toMatchObject([
			{
				metric: 'calls',
				kind: 'sum',
				unit: '{call}',
				is_monotonic: 1,
				temporality: 2,
				value_double: 3,
				attributes: { tool: 'echo' },
			},
			{ metric: 'load', kind: 'gauge', value_double: 0.5 },
			{ metric: 'seconds', kind: 'histogram', count: '1' },
			{ metric: 'sizes', kind: 'exponential_histogram', count: '1', positive: '1' },
		])
	})

	test('send spans over gRPC', async () => {
		const exporter = new GrpcTraces(grpc('traces-grpc')) as never
		const provider = new TracerProvider({
			spanProcessors: [new BatchSpanProcessor({ exporter } as never)],
		} as never)
		provider
			.getTracer('test')
			.startSpan('chat', { attributes: { 'session.id': 's' } })
			.end()
		await provider.shutdown()
		expect(
			await read('SELECT name, session_id FROM spans WHERE workspace_id = {w:String}', 'traces-grpc'),
		).toEqual([{ name: 'chat', session_id: 's' }])
	})
})
