import type { Rule } from './identity-rules.ts'

const mcp: Rule = { invoke: 'mcp:invoke' }
const proxy: Rule = { invoke: 'proxy:invoke' }

/** Who may use the routes of agent traffic and of telemetry ingestion. */
export const trafficRules: Record<string, Rule> = {
	'mcp.all.post': mcp,
	'mcp.all.stream': mcp,
	'mcp.all.end': mcp,
	'mcp.one.post': mcp,
	'mcp.one.stream': mcp,
	'mcp.one.end': mcp,
	'mcp-key.all.post': mcp,
	'mcp-key.all.stream': mcp,
	'mcp-key.all.end': mcp,
	'mcp-key.one.post': mcp,
	'mcp-key.one.stream': mcp,
	'mcp-key.one.end': mcp,
	'model-proxy.call': proxy,
	'model-proxy.spotlight-call': proxy,
	'otlp.traces': 'ingest',
	'otlp.metrics': 'ingest',
	'otlp.logs': 'ingest',
	'otlp.grpc_traces': 'ingest',
	'otlp.grpc_metrics': 'ingest',
	'otlp.grpc_logs': 'ingest',
	'otlp.ingest_http_traces': 'ingest',
	'otlp.ingest_http_metrics': 'ingest',
	'otlp.ingest_http_logs': 'ingest',
	'otlp.ingest_http': 'ingest',
	'otlp.langfuse_traces': 'ingest',
	'langfuse.projects': 'ingest',
	'langfuse.ingestion': 'ingest',
	'langfuse.scores': 'ingest',
}
