import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '../agents/queries.ts'
import { connectionsQuery } from '../model-proxy/queries.ts'
import { serversQuery } from '../servers/queries.ts'
import { spansQuery } from '../telemetry/queries.ts'

const often = { refetchInterval: 2_000 }

/** The progress of the workspace, derived from its actual objects and calls. */
export function useProgress() {
	const servers = useQuery({ ...serversQuery({}), ...often })
	const agents = useQuery({ ...agentsQuery({}), ...often })
	const connections = useQuery({ ...connectionsQuery, ...often })
	// A call that was refused or failed does not count.
	const toolCalls = useFirstSpan({ source: 'gateway', kind: 'tool_call', status: 'ok' })
	const modelCalls = useFirstSpan({ source: 'model_proxy', status: 'ok' })
	const spans = useFirstSpan({ source: 'otlp' })
	return {
		// A later poll that fails must not remove the screen, which may be showing a key for the only time.
		error: [servers, agents, toolCalls].find(({ data }) => data === undefined)?.error ?? null,
		server: servers.data?.mcp_servers[0],
		agent: agents.data?.agents.find(({ mcp_server_count }) => mcp_server_count > 0) ?? agents.data?.agents[0],
		isGranted: agents.data?.agents.some(({ mcp_server_count }) => mcp_server_count > 0) ?? false,
		connection: connections.data?.provider_keys[0],
		toolCall: toolCalls.data?.spans[0],
		modelCall: modelCalls.data?.spans[0],
		span: spans.data?.spans[0],
	}
}

/** Asks for a span of this kind until there is one. */
function useFirstSpan(filter: {
	source: 'gateway' | 'model_proxy' | 'otlp'
	kind?: 'tool_call'
	status?: 'ok'
}) {
	return useQuery({
		...spansQuery({ ...filter, start: '-30d', limit: 1 }),
		refetchInterval: ({ state }) => (state.data?.spans.length ? false : often.refetchInterval),
	})
}
