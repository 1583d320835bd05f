import type { IncomingMessage } from 'node:http'
import type { AgentView } from '../access/agents/index.ts'
import { Problem } from '../platform/errors.ts'
import { type Principal, principalIn, type RequestContext } from '../platform/http/index.ts'
import type { ServerView } from '../servers/index.ts'
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
