import type { AccessReason } from '@signalbox/contract'
import type { AgentEntry } from '../agents/index.ts'
import type { ServerEntry } from '../servers/index.ts'
import { type GrantEntry, manualSource } from './grant-entry.ts'
import { judgeGrant, type Opinion } from './judge-grant.ts'

export interface AccessQuestion {
	/** Agent and server as far as the asker knows more than their ids. */
	agent: Pick<AgentEntry, 'id' | 'workspaceId' | 'name' | 'status'> | undefined
	server: Pick<ServerEntry, 'id' | 'workspaceId' | 'name' | 'status'> | undefined
	/** Every grant of the agent on the server; others in the list do not count. */
	grants: readonly GrantEntry[]
	/** The server's own name of a tool; null asks whether the server may be used at all. */
	tool: string | null
	/** With no tool: asks for what belongs to no tool, as prompts and resources, which needs all of the server. */
	everything?: boolean
	/** Of a call. Absent for a list: there a tool counts when some arguments could be allowed. */
	arguments?: unknown
	nowMs: number
}

export interface Verdict {
	allowed: boolean
	reason: AccessReason
	/** A sentence for people and agents. */
	text: string
	/** The grant that decided, and its source; absent when none did. */
	grantId?: string
	source?: string
}

/**
 * The one judge of access: lists, calls, simulations and screens all ask it. Pure. Everything that is not clearly
 * allowed is denied; so is everything when judging throws. The enabled grants that have not expired count together: what
 * one of them allows is allowed, except that a disabled one made by hand denies all.
 */
export function decideAccess(question: AccessQuestion): Verdict {
	try {
		return decide(question)
	} catch {
		return deny('undecidable', 'Access could not be decided, so it is denied.')
	}
}

function decide(question: AccessQuestion): Verdict {
	const { agent, server } = question
	if (!agent) return deny('agent_unknown', 'The agent does not exist.')
	if (agent.status !== 'active')
		return deny('agent_not_active', `The agent ${agent.name} is ${agent.status}.`)
	if (!server || server.workspaceId !== agent.workspaceId)
		return deny('server_unknown', 'The server does not exist.')
	if (server.status !== 'active')
		return deny('server_inactive', `The server ${server.name} is ${server.status}.`)
	return decideByGrants(question, agent, server)
}

type Agent = NonNullable<AccessQuestion['agent']>
type Server = NonNullable<AccessQuestion['server']>

function decideByGrants(question: AccessQuestion, agent: Agent, server: Server): Verdict {
	let best: Opinion | null = null
	let by: GrantEntry | null = null
	let expired: GrantEntry | null = null
	for (const grant of question.grants) {
		if (grant.agentId !== agent.id || grant.serverId !== server.id) continue
		if (grant.workspaceId !== server.workspaceId) continue
		if (grant.expiresAtMs !== null && grant.expiresAtMs <= question.nowMs) expired = grant
		else if (grant.enabled) {
			const opinion = judgeGrant(grant, question)
			if (best && best.rank >= opinion.rank) continue
			best = opinion
			by = grant
		} else if (grant.source === manualSource) return disabled(agent, server, grant)
	}
	if (best && by) return verdictOf(best, by, question, agent, server)
	const names = `${agent.name} to the server ${server.name}`
	if (expired)
		return { ...deny('grant_expired', `The access of ${names} has expired.`), ...decidedBy(expired) }
	return deny('no_grant', `The agent ${agent.name} has no access to the server ${server.name}.`)
}

function disabled(agent: Agent, server: Server, grant: GrantEntry): Verdict {
	const text = `The access of ${agent.name} to ${server.name} is switched off.`
	return { allowed: false, reason: 'grant_disabled', text, grantId: grant.id, source: grant.source }
}

function verdictOf(
	opinion: Opinion,
	by: GrantEntry,
	asked: AccessQuestion,
	agent: Agent,
	server: Server,
): Verdict {
	const text = opinion.text(asked.tool ?? '', agent.name, server.name, opinion.detail ?? '')
	return { allowed: opinion.allowed, reason: opinion.reason, text, grantId: by.id, source: by.source }
}

function decidedBy(grant: GrantEntry): Pick<Verdict, 'grantId' | 'source'> {
	return { grantId: grant.id, source: grant.source }
}

function deny(reason: AccessReason, text: string): Verdict {
	return { allowed: false, reason, text }
}
