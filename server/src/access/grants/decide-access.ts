import {
	type AccessReason,
	type Approver,
	fillRefusal,
	type PinState,
	type RefusalCode,
	type RefusalPart,
	refusals,
} from '@signalbox/contract'
import type { ServerEntry, ToolDefinition } from '../../servers/index.ts'
import type { AgentEntry } from '../agents/index.ts'
import { type GrantEntry, manualSource } from './grant-entry.ts'
import { type GrantDecision, judgeGrant } from './judge-grant.ts'

export interface AccessQuestion {
	/** Agent and server as far as the asker knows more than their ids. */
	agent: Pick<AgentEntry, 'id' | 'workspaceId' | 'name' | 'status'> | undefined
	server: Pick<ServerEntry, 'id' | 'workspaceId' | 'name' | 'status'> | undefined
	/** Every grant of the agent on the server; others in the list do not count. */
	grants: readonly GrantEntry[]
	/** The server's own name of a tool; null asks whether the server may be used at all. */
	tool: string | null
	/** Of the tool, as its server last gave it; without one it counts as whatever a grant denies. */
	definition?: ToolDefinition | undefined
	/** With no tool: the server's own name of a prompt. */
	prompt?: string
	/** With no tool: the URI of a resource, or the template of one. */
	resource?: string
	/** Whether the definition of the tool waits for approval; absent asks what grants alone say. */
	pin?: PinState
	/** Of a call. Absent for a list: there a tool counts when some arguments could be allowed. */
	arguments?: unknown
	nowMs: number
}

const byName = new WeakMap<readonly ToolDefinition[], ReadonlyMap<string, ToolDefinition>>()

/** The definition of a tool by its server's own name. */
export function definitionOf(
	{ tools }: Pick<ServerEntry, 'tools'>,
	tool: string,
): ToolDefinition | undefined {
	let known = byName.get(tools)
	if (!known) {
		known = new Map(tools.map((definition) => [definition.name, definition]))
		byName.set(tools, known)
	}
	return known.get(tool)
}

export interface Verdict {
	allowed: boolean
	reason: AccessReason
	/** A sentence for people and agents. */
	text: string
	/** The grant that decided, and its source; absent when none did. */
	grantId?: string
	source?: string
	/** What the sentence says beside names: why arguments are refused, or in which state something is. */
	detail?: string
	/** With `approval_required`: whose approval counts, and how long the call waits for it (null: the usual time). */
	approval?: { approver: Approver; waitMs: number | null }
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
		return refuse('undecidable')
	}
}

function decide(question: AccessQuestion): Verdict {
	const { agent, server } = question
	if (!agent) return refuse('agent_unknown')
	if (agent.status !== 'active')
		return refuse('agent_not_active', { agent: agent.name, status: agent.status }, agent.status)
	if (!server || server.workspaceId !== agent.workspaceId) return refuse('server_unknown')
	if (server.status !== 'active')
		return refuse('server_inactive', { server: server.name, status: server.status }, server.status)
	return decideByGrants(question, agent, server)
}

type Agent = NonNullable<AccessQuestion['agent']>
type Server = NonNullable<AccessQuestion['server']>

function decideByGrants(question: AccessQuestion, agent: Agent, server: Server): Verdict {
	let best: GrantDecision | null = null
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
	// A tool that is not granted is refused as that, whatever its definition.
	if (best && by && question.pin === 'suspended' && !notGranted.has(best.reason))
		return { ...refuse('definition_changed', namesOf(question, agent, server)), ...decidedBy(by) }
	if (best && by) return verdictOf(best, by, question, agent, server)
	const names = { agent: agent.name, server: server.name }
	if (expired) return { ...refuse('grant_expired', names), ...decidedBy(expired) }
	return refuse('no_grant', names)
}

const notGranted: ReadonlySet<AccessReason> = new Set(['tool_not_selected', 'denied_by_hint'])

function namesOf({ tool }: AccessQuestion, agent: Agent, server: Server) {
	return { tool: tool ?? '', agent: agent.name, server: server.name }
}

function disabled(agent: Agent, server: Server, grant: GrantEntry): Verdict {
	return { ...refuse('grant_disabled', { agent: agent.name, server: server.name }), ...decidedBy(grant) }
}

function verdictOf(
	opinion: GrantDecision,
	by: GrantEntry,
	asked: AccessQuestion,
	agent: Agent,
	server: Server,
): Verdict {
	const text = opinion.text(
		asked.tool ?? asked.prompt ?? asked.resource ?? '',
		agent.name,
		server.name,
		opinion.detail ?? '',
	)
	const { allowed, reason, detail } = opinion
	const verdict: Verdict = { allowed, reason, text, grantId: by.id, source: by.source }
	if (detail !== undefined) verdict.detail = detail
	if (reason === 'approval_required') verdict.approval = { approver: by.approver, waitMs: by.approvalWaitMs }
	return verdict
}

function decidedBy(grant: GrantEntry): Pick<Verdict, 'grantId' | 'source'> {
	return { grantId: grant.id, source: grant.source }
}

function refuse(
	reason: AccessReason & RefusalCode,
	parts: Partial<Record<RefusalPart, string>> = {},
	detail?: string,
): Verdict {
	const text = fillRefusal(refusals[reason].text, parts)
	return { allowed: false, reason, text, ...(detail !== undefined && { detail }) }
}
