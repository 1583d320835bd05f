// Ways to observe an MCP server, or a client, of the SDK v1; each gets both and the address that takes its telemetry.
import { instrument, instrumentClient } from '../../../sdk/typescript/dist/index.js'

export const observers = {
	nobody: () => {},
	'@signalbox/sdk': ({ server }, endpoint) => instrument(server, { endpoint, token: 't' }),
	'@signalbox/sdk, capturing': ({ server }, endpoint) =>
		instrument(server, { endpoint, token: 't', capture: true }),
	'@signalbox/sdk, client': ({ client }, endpoint) => instrumentClient(client, { endpoint, token: 't' }),
	'@shinzolabs/instrumentation-mcp': async ({ server, load }, endpoint) => {
		const { instrumentServer } = await load('@shinzolabs/instrumentation-mcp')
		const exporterAuth = { type: 'bearer', token: 't' }
		instrumentServer(server, {
			serverName: 'bench',
			serverVersion: '1',
			exporterEndpoint: `${endpoint}/v1`,
			exporterAuth,
		})
	},
	'@sentry/node': async ({ server, load }, endpoint) => {
		const sentry = await load('@sentry/node')
		sentry.init({ dsn: `${endpoint.replace('://', '://key@')}/1`, tracesSampleRate: 1 })
		sentry.wrapMcpServerWithSentry(server)
	},
	agentcat: async ({ server, load }, endpoint) => {
		const { track } = await load('agentcat')
		const exporters = { otlp: { type: 'otlp', endpoint: `${endpoint}/v1/traces` } }
		return () => track(server, null, { exporters })
	},
	'@traceloop/instrumentation-mcp, client': async ({ Client, load }, endpoint) => {
		const { trace } = await load('@opentelemetry/api')
		const { TracerProvider, BatchSpanProcessor } = await load('@opentelemetry/sdk-trace')
		const { OTLPTraceExporter } = await load('@opentelemetry/exporter-trace-otlp-proto')
		const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` })
		trace.setGlobalTracerProvider(
			new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] }),
		)
		const { McpInstrumentation } = await load('@traceloop/instrumentation-mcp')
		new McpInstrumentation().manuallyInstrument({ Client })
	},
}
