import type { IncomingMessage } from 'node:http'
import type { Access } from '@signalbox/contract'
import type { AgentView } from '../access/agents/index.ts'
import { errorMessage, RpcFailure } from '../mcp-client/index.ts'
import { Problem } from '../platform/errors.ts'
import { type Principal, principalIn, type RequestContext, type Route } from '../platform/http/index.ts'
import type { ServerView } from '../servers/index.ts'
import { endSession, openStream } from './eras/legacy/handle-stream.ts'
import type { Gateway } from './gateway.ts'
import { handlePost } from './handle-post.ts'
import { McpHttpRequest } from './mcp-http-request.ts'
import type { Caller } from './operation.ts'

/** No id of a server. */
const unknownServer = ''

/** Who calls which endpoint. Throws `agent_required` (403) without an agent. */
export function identifyCaller(
	request: IncomingMessage,
	context: RequestContext,
	agents: AgentView,
	servers: ServerView,
): Caller {
	const principal = principalIn(context)
	if (principal.kind !== 'agent_key' && principal.kind !== 'platform_key') throw new Problem('agent_required')
	const { workspaceId, keyId } = principal
	const agentId = agentOf(request, principal, agents)
	const userId = principal.kind === 'agent_key' ? (principal.delegatedBy?.userId ?? null) : null
	const who = { principal, credentialId: keyId, workspaceId, agentId, userId }
	const name = context.params.server
	if (name === undefined) return { ...who, serverId: null }
	const server = servers.find(workspaceId, name)
	// An unknown one is refused where one without a grant is, in the same words.
	return { ...who, serverId: server?.id ?? unknownServer }
}

/** An agent key speaks for its agent; another key names one of its own workspace. */
function agentOf(request: IncomingMessage, principal: Principal, agents: AgentView): string {
	const named = request.headers['x-signalbox-agent']
	const agentId =
		principal.kind === 'agent_key' ? principal.agentId : typeof named === 'string' ? named.trim() : ''
	const agent = agents.get(agentId)
	if (agent && agent.workspaceId === principal.workspaceId) return agentId
	throw new Problem(
		'agent_required',
		agentId ? 'The header x-signalbox-agent names no agent of this workspace.' : undefined,
	)
}

type Handle = (gateway: Gateway, visit: McpHttpRequest) => void | Promise<void>

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
	const callerOf = (request: IncomingMessage, context: RequestContext) => {
		const identify = () => identifyCaller(request, context, views.agents, views.servers)
		const principal = principalIn(context)
		if (principal.kind !== 'agent_key') return identify()
		return gateway.plainCalls.callerOf(principal, context.params.server ?? '', identify)
	}
	return {
		...line,
		slash: true,
		access,
		family: 'mcp',
		lane: true,
		handle: (request, response, context) => {
			if (gateway.isStale()) throw new Problem('stale_permissions', undefined, { retryAfterS: 1 })
			const visit = new McpHttpRequest(request, response, callerOf(request, context), context)
			const refuse = (error: unknown) => {
				if (!(error instanceof RpcFailure) || response.headersSent) throw error
				visit.answer(errorMessage(null, error), error.httpStatus)
			}
			try {
				return handle(gateway, visit)?.catch(refuse)
			} catch (error) {
				refuse(error)
			}
		},
	}
}
