import type { AgentEntry } from '../agents/index.ts'
import type { ServerEntry } from '../servers/index.ts'
import type { GrantEntry } from './grant-entry.ts'

export interface AccessQuestion {
	agent: AgentEntry | undefined
	server: ServerEntry | undefined
	/** The agent's grant on the server. */
	grant: GrantEntry | undefined
	/** The server's own name of the tool; null asks whether the server may be used at all. */
	tool: string | null
}

export type Reason =
	| 'granted_all'
	| 'granted_selected'
	| 'agent_unknown'
	| 'agent_not_active'
	| 'server_unknown'
	| 'server_inactive'
	| 'no_grant'
	| 'grant_disabled'
	| 'tool_not_selected'

export interface Verdict {
	allowed: boolean
	reason: Reason
	/** A sentence for people and agents. */
	text: string
}

/**
 * The one judge of access: lists, calls, simulations and screens all ask it. Pure; everything that is not clearly
 * allowed is denied.
 */
export function decideAccess({ agent, server, grant, tool }: AccessQuestion): Verdict {
	if (!agent) return deny('agent_unknown', 'The agent does not exist.')
	if (agent.status !== 'active')
		return deny('agent_not_active', `The agent ${agent.name} is ${agent.status}.`)
	if (!server || server.workspaceId !== agent.workspaceId)
		return deny('server_unknown', 'The server does not exist.')
	if (server.status !== 'active')
		return deny('server_inactive', `The server ${server.name} is ${server.status}.`)
	if (!grant || grant.agentId !== agent.id || grant.serverId !== server.id) {
		return deny('no_grant', `The agent ${agent.name} has no access to the server ${server.name}.`)
	}
	if (!grant.enabled)
		return deny('grant_disabled', `The access of ${agent.name} to ${server.name} is switched off.`)
	if (grant.accessMode === 'all')
		return { allowed: true, reason: 'granted_all', text: 'All tools of the server are granted.' }
	if (tool === null || grant.allowedTools?.has(tool))
		return { allowed: true, reason: 'granted_selected', text: 'The tool is one of those granted.' }
	return deny('tool_not_selected', `The tool ${tool} of ${server.name} is not granted to ${agent.name}.`)
}

function deny(reason: Reason, text: string): Verdict {
	return { allowed: false, reason, text }
}
