import {
	type AccessReason,
	type Approver,
	accessReasons,
	type DeniableHint,
	fillRefusal,
	type PinReason,
	type RefusalCode,
	type RefusalPart,
	refusals,
} from '@signalbox/contract'
import type { ServerEntry, ToolDefinition } from '../../servers/servers.ts'
import type { AgentEntry } from '../agents/agents.ts'
import { type GrantEntry, manualSource } from './grant-entry.ts'

/** What one enabled grant decides. Of several decisions, the one with the highest rank counts. */
interface GrantDecision {
	rank: number
	allowed: boolean
	reason: AccessReason
	text(tool: string, agent: string, server: string, detail: string): string
	detail?: string
}

function allow(reason: AccessReason, rank: number): GrantDecision {
	return { rank, allowed: true, reason, text: () => accessReasons[reason] }
}

function deny(reason: AccessReason & RefusalCode, rank: number): GrantDecision {
	const { text } = refusals[reason]
	return {
		...{ rank, allowed: false, reason },
		text: (tool, agent, server, detail) => fillRefusal(text, { tool, agent, server, detail }),
	}
}

const grantDecisions = {
	all: allow('granted_all', 7),
	selected: allow('granted_selected', 6),
	constrained: allow('granted_constrained', 5),
	onApproval: allow('granted_on_approval', 4),
	ask: deny('approval_required', 3),
	refused: deny('arguments_refused', 2),
	hinted: deny('denied_by_hint', 1),
	unnamed: deny('tool_not_selected', 0),
	unnamedPrompt: deny('prompt_not_selected', 0),
	unnamedResource: deny('resource_not_selected', 0),
}

/** What one enabled grant decides about a request of its agent to its server. */
function evaluateGrant(grant: GrantEntry, query: AccessQuery): GrantDecision {
	const { tool } = query
	const whole = grant.accessMode === 'all'
	if (tool === null) {
		if (whole) return grantDecisions.all
		return evaluatePart(grant, query)
	}
	if (!whole && !grant.allowedTools?.has(tool)) return grantDecisions.unnamed
	const hint = grant.deniedHints && deniedHint(grant.deniedHints, query.definition)
	if (hint) return { ...grantDecisions.hinted, detail: hint }
	return evaluateLimits(grant, tool, query) ?? (whole ? grantDecisions.all : grantDecisions.selected)
}

/**
 * Why a tool is denied by its annotations, or null. Where its server says nothing, the defaults of MCP count: a tool may
 * destroy unless it only reads, and may reach an open world.
 */
function deniedHint(denied: ReadonlySet<DeniableHint>, definition: AccessQuery['definition']): string | null {
	const annotations = definition?.annotations
	const { readOnlyHint, destructiveHint, openWorldHint } = (
		typeof annotations === 'object' && annotations !== null ? annotations : {}
	) as Record<string, unknown>
	if (
		denied.has('destructiveHint') &&
		destructiveHint !== false &&
		(destructiveHint === true || readOnlyHint !== true)
	)
		return destructiveHint === true ? 'its server says it may destroy' : 'it may destroy, as far as is known'
	if (denied.has('openWorldHint') && openWorldHint !== false)
		return openWorldHint === true ? 'its server says it is open-world' : 'it may reach an open world'
	return null
}

/** What a grant of single prompts and resources decides about a request that names no tool. */
function evaluatePart(grant: GrantEntry, { prompt, resource }: AccessQuery): GrantDecision {
	if (prompt !== undefined)
		return grant.allowedPrompts?.has(prompt) ? grantDecisions.selected : grantDecisions.unnamedPrompt
	if (resource === undefined) return grantDecisions.selected
	const matches = grant.allowedResources?.some((pattern) => pattern.matches(resource)) ?? false
	return matches ? grantDecisions.selected : grantDecisions.unnamedResource
}

/** Null if the grant has no limits that apply to the tool. */
function evaluateLimits(
	{ constraints, asks }: GrantEntry,
	tool: string,
	asked: AccessQuery,
): GrantDecision | null {
	const constraint = constraints?.get(tool)
	const ask = asks?.has(tool) ?? false
	if (!constraint && !ask) return null
	if (asked.arguments === undefined) return ask ? grantDecisions.onApproval : grantDecisions.constrained
	const detail = constraint?.refusal(asked.arguments) ?? null
	if (detail !== null) return { ...grantDecisions.refused, detail }
	return ask ? grantDecisions.ask : grantDecisions.constrained
}

export interface AccessQuery {
	/** The agent and server, if the caller knows more than their IDs. */
	agent: Pick<AgentEntry, 'id' | 'workspaceId' | 'name' | 'status'> | undefined
	server: Pick<ServerEntry, 'id' | 'workspaceId' | 'name' | 'status'> | undefined
	/** All grants of the agent on the server; other grants in the list are ignored. */
	grants: readonly GrantEntry[]
	/** The server's own name of the tool; null asks whether the server may be used at all. */
	tool: string | null
	/** The tool's annotations, as its server last gave them. Without any, the tool counts as having whatever a grant denies. */
	definition?: ToolDefinition | undefined
	/** With no tool: the server's own name of a prompt. */
	prompt?: string
	/** With no tool: the URI of a resource, or the template of one. */
	resource?: string
	/** Why the tool is suspended until its definition is approved. If absent, only the grants count. */
	suspended?: PinReason | undefined
	/** The call's arguments. Absent for a list, where a tool counts as allowed if some arguments could be allowed. */
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

export interface AccessDecision {
	allowed: boolean
	reason: AccessReason
	/** A sentence for people and agents. */
	text: string
	/** The grant that decided, and its source; absent when none did. */
	grantId?: string
	source?: string
	/** Details that the sentence mentions: why arguments are refused, or the status of an object. */
	detail?: string
	/**
	 * With `approval_required`: whose approval counts, and how long the call waits for it in milliseconds (null: the default).
	 */
	approval?: { approver: Approver; waitMs: number | null }
}

/**
 * Decides access for lists, calls, simulations and screens alike. A pure function. Whatever is not clearly allowed is denied, and so
 * is everything if deciding throws. Enabled grants that have not expired add up: what one of them allows is allowed, except that a
 * disabled direct grant denies everything.
 */
export function decideAccess(query: AccessQuery): AccessDecision {
	try {
		return decide(query)
	} catch {
		return refuse('undecidable')
	}
}

function decide(query: AccessQuery): AccessDecision {
	const { agent, server } = query
	if (!agent) return refuse('agent_unknown')
	if (agent.status !== 'active')
		return refuse('agent_not_active', { agent: agent.name, status: agent.status }, agent.status)
	if (!server || server.workspaceId !== agent.workspaceId) return refuse('server_unknown')
	if (server.status !== 'active')
		return refuse('server_inactive', { server: server.name, status: server.status }, server.status)
	return decideByGrants(query, agent, server)
}

type Agent = NonNullable<AccessQuery['agent']>
type Server = NonNullable<AccessQuery['server']>

function decideByGrants(query: AccessQuery, agent: Agent, server: Server): AccessDecision {
	let best: GrantDecision | null = null
	let by: GrantEntry | null = null
	let expired: GrantEntry | null = null
	for (const grant of query.grants) {
		if (grant.agentId !== agent.id || grant.serverId !== server.id) continue
		if (grant.workspaceId !== server.workspaceId) continue
		if (grant.expiresAtMs !== null && grant.expiresAtMs <= query.nowMs) expired = grant
		else if (grant.enabled) {
			const decision = evaluateGrant(grant, query)
			if (best && best.rank >= decision.rank) continue
			best = decision
			by = grant
		} else if (grant.source === manualSource) return disabled(agent, server, grant)
	}
	// A tool that is not granted is refused as such, whatever the state of its definition.
	if (best && by && query.suspended && !notGranted.has(best.reason)) {
		const detail = suspensions[query.suspended]
		const parts = { tool: query.tool ?? '', agent: agent.name, server: server.name, detail }
		return { ...refuse('definition_changed', parts, detail), ...decidedBy(by) }
	}
	if (best && by) return decisionOf(best, by, query, agent, server)
	const names = { agent: agent.name, server: server.name }
	if (expired) return { ...refuse('grant_expired', names), ...decidedBy(expired) }
	return refuse('no_grant', names)
}

const notGranted: ReadonlySet<AccessReason> = new Set(['tool_not_selected', 'denied_by_hint'])

/** Why a suspended tool may not be used, as a part of the refusal's sentence. */
const suspensions: Readonly<Record<PinReason, string>> = {
	new: 'it is new',
	changed: 'it has changed',
	incompatible: 'it has changed',
	hidden_text: 'its definition contains hidden text',
	rejected: 'its definition was rejected',
}

function disabled(agent: Agent, server: Server, grant: GrantEntry): AccessDecision {
	return { ...refuse('grant_disabled', { agent: agent.name, server: server.name }), ...decidedBy(grant) }
}

function decisionOf(
	granted: GrantDecision,
	by: GrantEntry,
	asked: AccessQuery,
	agent: Agent,
	server: Server,
): AccessDecision {
	const text = granted.text(
		asked.tool ?? asked.prompt ?? asked.resource ?? '',
		agent.name,
		server.name,
		granted.detail ?? '',
	)
	const { allowed, reason, detail } = granted
	const decision: AccessDecision = { allowed, reason, text, grantId: by.id, source: by.source }
	if (detail !== undefined) decision.detail = detail
	if (reason === 'approval_required') decision.approval = { approver: by.approver, waitMs: by.approvalWaitMs }
	return decision
}

function decidedBy(grant: GrantEntry): Pick<AccessDecision, 'grantId' | 'source'> {
	return { grantId: grant.id, source: grant.source }
}

function refuse(
	reason: AccessReason & RefusalCode,
	parts: Partial<Record<RefusalPart, string>> = {},
	detail?: string,
): AccessDecision {
	const text = fillRefusal(refusals[reason].text, parts)
	return { allowed: false, reason, text, ...(detail !== undefined && { detail }) }
}

export interface ModelAccessQuery {
	agent: Pick<AgentEntry, 'name' | 'status' | 'modelAccess'> | undefined
	/** The connection's name in the proxy path. */
	connection: string
	/** Null for a call that names no model; undefined asks whether the connection may be used at all. */
	model: string | null | undefined
}

interface ModelAccessDecision {
	allowed: boolean
	reason: 'granted' | 'agent_unknown' | 'agent_not_active' | 'connection_not_granted' | 'model_not_granted'
	/** A sentence for people and agents. */
	text: string
}

/** Decides an agent's access to models. A pure function; whatever is not clearly allowed is denied. Names are case-sensitive. */
export function decideModelAccess({ agent, connection, model }: ModelAccessQuery): ModelAccessDecision {
	if (!agent) return refuseModel('agent_unknown')
	if (agent.status !== 'active')
		return refuseModel('agent_not_active', { agent: agent.name, status: agent.status })
	if (agent.modelAccess.mode === 'all') return granted
	const patterns = agent.modelAccess.connections.get(connection)
	if (!patterns) return refuseModel('connection_not_granted', { agent: agent.name, detail: connection })
	if (model === undefined || patterns.some((pattern) => matchesModel(pattern, model))) return granted
	const asked = model === null ? 'A call that names no model' : `The model ${model.slice(0, 200)}`
	return refuseModel('model_not_granted', { agent: agent.name, detail: `${asked} of ${connection}` })
}

const granted: ModelAccessDecision = { allowed: true, reason: 'granted', text: 'The model is granted.' }

function refuseModel(
	reason: ModelAccessDecision['reason'] & RefusalCode,
	parts: Partial<Record<RefusalPart, string>> = {},
): ModelAccessDecision {
	const { text, help } = refusals[reason]
	return { allowed: false, reason, text: `${fillRefusal(text, parts)} ${help}` }
}

/** `*` matches any characters. A call without a model needs the pattern `*`. */
export function matchesModel(pattern: string, model: string | null): boolean {
	if (pattern === '*' || pattern === model) return true
	if (model === null || !pattern.includes('*')) return false
	const [first = '', ...rest] = pattern.split('*')
	const last = rest.pop() ?? ''
	if (!model.startsWith(first) || model.length < first.length + last.length || !model.endsWith(last))
		return false
	let at = first.length
	const end = model.length - last.length
	for (const part of rest) {
		const found = model.indexOf(part, at)
		if (found < 0 || found + part.length > end) return false
		at = found + part.length
	}
	return true
}
