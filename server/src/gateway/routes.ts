import type { Access } from '@signalbox/contract'
import type { AgentView } from '../access/agents/index.ts'
import { errorMessage, RpcFailure } from '../mcp-client/index.ts'
import { Problem } from '../platform/errors.ts'
import type { Route } from '../platform/http/index.ts'
import type { ServerView } from '../servers/index.ts'
import { identifyCaller } from './caller.ts'
import { endSession, openStream } from './eras/legacy/handle-stream.ts'
import type { Gateway } from './gateway.ts'
import { handlePost, type McpHttpRequest, newMcpHttpRequest } from './handle-post.ts'

type Handle = (gateway: Gateway, visit: McpHttpRequest) => Promise<void>

const access: Access = { kinds: ['agent_key', 'platform_key'], scope: 'mcp:invoke' }
const methods: readonly [string, string, Handle][] = [
	['POST', 'post', handlePost],
	['GET', 'stream', openStream],
	['DELETE', 'end', endSession],
]
/** `/mcp-key` is the same for clients that would ignore a static key where they find OAuth metadata. */
const paths: readonly [string, string][] = [
	['/mcp', 'mcp.all'],
	['/mcp/{server}', 'mcp.one'],
	['/mcp-key', 'mcp-key.all'],
	['/mcp-key/{server}', 'mcp-key.one'],
]

export function gatewayRoutes(gateway: Gateway, views: { agents: AgentView; servers: ServerView }): Route[] {
	return paths.flatMap(([path, prefix]) =>
		methods.map(([method, name, handle]) =>
			newRoute(gateway, views, { id: `${prefix}.${name}`, method, path }, handle),
		),
	)
}

function newRoute(
	gateway: Gateway,
	views: { agents: AgentView; servers: ServerView },
	line: Pick<Route, 'id' | 'method' | 'path'>,
	handle: Handle,
): Route {
	return {
		...line,
		slash: true,
		access,
		family: 'mcp',
		lane: true,
		handle: async (request, response, context) => {
			if (gateway.isStale()) throw new Problem('stale_permissions', undefined, { retryAfterS: 1 })
			const visit = newMcpHttpRequest(
				request,
				response,
				identifyCaller(request, context, views.agents, views.servers),
				context,
			)
			try {
				await handle(gateway, visit)
			} catch (error) {
				if (!(error instanceof RpcFailure) || response.headersSent) throw error
				visit.answer(errorMessage(null, error), error.httpStatus)
			}
		},
	}
}
