import { fillRefusal, type Refusal, type RefusalCode, type RefusalPart, refusals } from '@signalbox/contract'
import type { AgentEntry } from '../../access/agents/agents.ts'
import type { ApprovalResult } from '../../access/approvals/approvals.ts'
import type { AccessDecision } from '../../access/grants/index.ts'
import { namedFailure, type RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import type { ServerEntry, ToolDefinition } from '../../servers/servers.ts'

/** Pages of the dashboard that help with a refusal. They show nothing to people without permission. */
export interface RefusalLinks {
	/** Where a member of the workspace requests access for an agent. `tool` is the name that the agent used. */
	access(workspaceId: string, agentId: string, tool: string | null): string
	/** Where an admin reviews changed definitions of a server's tools. */
	definitions(workspaceId: string, serverId: string): string
	/** Where an approver decides about a call. */
	approval(workspaceId: string, approvalId: string): string
}

/** Longer names are left out of the link: the page asks for them. */
const maxName = 64

export function createRefusalLinks(publicAddress: () => string): RefusalLinks {
	const pages = (workspaceId: string) => `${publicAddress()}/ui/w/${workspaceId}`
	return {
		access: (workspaceId, agentId, tool) => {
			const named =
				tool !== null && tool.length <= maxName ? `&tool=${encodeURIComponent(tool.toWellFormed())}` : ''
			return `${pages(workspaceId)}/access-requests?agent=${agentId}${named}`
		},
		definitions: (workspaceId, serverId) => `${pages(workspaceId)}/servers/${serverId}/definitions`,
		approval: (workspaceId, approvalId) => `${pages(workspaceId)}/approvals/${approvalId}`,
	}
}

export type RefusalNames = Partial<Record<RefusalPart, string | null>>

/** Characters that agents and people read at once. They skip longer texts. */
export const maxRefusalChars = 300
const lengths = [120, 64, 40, 24, 12]

/**
 * The text of a refusal: what happened and why, who can help, and where. Long names are cut to keep it within 300 characters; the
 * error's data has them in full. If that is not enough, who can help is left out before the address.
 */
export function refusalText(code: RefusalCode, names: RefusalNames, link: string | null): string {
	const { text, help } = refusals[code]
	const parts = plain({ ...names, agent: names.agent ?? 'this agent' })
	const where = link === null ? '' : ` ${leads[refusals[code].link ?? 'access']} ${link}`
	const textWith = (helps: string, longest: number) => `${fillRefusal(text + helps, parts, longest)}${where}`
	// If the address is long, its page says who can help.
	for (const helps of link === null ? [` ${help}`] : [` ${help}`, '']) {
		const whole = lengths
			.map((longest) => textWith(helps, longest))
			.find((each) => each.length <= maxRefusalChars)
		if (whole !== undefined) return whole
	}
	return fillRefusal(`${text} ${help}`, parts, 12)
}

const leads: Readonly<Record<NonNullable<Refusal['link']>, string>> = {
	access: 'Ask for it:',
	approval: 'Decide:',
	definitions: 'Look at it:',
}

/** Names are put on one line, so that none of them can be mistaken for a sentence of the gateway. */
function plain(names: RefusalNames): Partial<Record<RefusalPart, string>> {
	const entries = Object.entries(names).flatMap(([name, value]) =>
		value ? [[name, value.replaceAll(/\p{C}+|\s+/gu, ' ').toWellFormed()]] : [],
	)
	return Object.fromEntries(entries)
}

/** A prompt by the server's own name, or a resource by its URI or template. */
export type ServerPart = { prompt: string } | { resource: string }

/** What was requested, as far as the agent may know about it. */
export interface RefusedTarget {
	agent: AgentEntry | undefined
	/** The server of the endpoint; undefined on the aggregate if it must not be named. */
	server?: ServerEntry | undefined
	/** The name that the agent used. */
	tool?: string
}

/** Refusals of access, with the texts of the catalogue. */
export interface AccessRefusals {
	/** For an agent, or a server on which it has some grant. */
	decision(decision: AccessDecision, asked: RefusedTarget, code?: number): RpcFailure
	/** A tool that does not exist must look like one that is not granted, and so must a tool of a server without any grant. */
	tool(
		decision: AccessDecision,
		asked: RefusedTarget & { tool: string },
		found: ToolDefinition | undefined,
	): RpcFailure | null
	/** A prompt or a resource. The URI is in the data, as the protocol requires for one that is not found. */
	part(decision: AccessDecision, asked: RefusedTarget, part: ServerPart): RpcFailure
	/** A server without any grant must look like one that does not exist. */
	server(agent: AgentEntry | undefined): RpcFailure
}

function urlName(code: RefusalCode): string {
	return refusals[code].link === 'definitions' ? 'review_url' : 'access_url'
}

const hidden: ReadonlySet<string> = new Set(['no_grant', 'server_unknown'])
const aboutTool: ReadonlySet<string> = new Set([...hidden, 'tool_not_selected', 'grant_expired'])
/** Reasons that reveal that the tool exists. */
const aboutCall: ReadonlySet<string> = new Set(['arguments_refused', 'approval_required', 'denied_by_hint'])

/** An agent with all tools of a server may know that it has no such tool, or that it does not answer. */
function wordsOf({ allowed }: AccessDecision, { server }: RefusedTarget): RefusalCode {
	if (!server) return 'tool_not_granted'
	if (!allowed) return 'tool_not_selected'
	return server.healthStatus === 'unhealthy' ? 'server_not_answering' : 'tool_unknown'
}

/** Inactive servers that nobody has switched off. */
const inactive: Readonly<Record<string, RefusalCode>> = {
	deploying: 'server_deploying',
	error: 'server_failed',
}

function wordsOfDecision({ reason, detail }: AccessDecision): RefusalCode {
	const own = reason === 'server_inactive' ? inactive[detail ?? ''] : undefined
	return own ?? (reason as RefusalCode)
}

export function createAccessRefusals(links: RefusalLinks): AccessRefusals {
	const linkFor = (code: RefusalCode, { agent, tool, server }: RefusedTarget) => {
		const kind = refusals[code].link
		if (kind === 'definitions') return server ? links.definitions(server.workspaceId, server.id) : null
		return agent && kind === 'access' ? links.access(agent.workspaceId, agent.id, tool ?? null) : null
	}
	const refuse = (
		code: RefusalCode,
		name: string,
		rpcCode: number,
		asked: RefusedTarget,
		facts: object,
		detail?: string,
	) => {
		const { agent, server, tool } = asked
		const link = linkFor(code, asked)
		const names = { agent: agent?.name ?? null, server: server?.name ?? null, tool: tool ?? null }
		const text = refusalText(code, { ...names, status: detail ?? null, detail: detail ?? null }, link)
		return namedFailure(rpcCode, name, text, {
			status: 'denied',
			facts: { ...names, ...facts, ...(link !== null && { [urlName(code)]: link }) },
		})
	}
	const decision: AccessRefusals['decision'] = (given, asked, code = rpcCodes.accessDenied) =>
		refuse(wordsOfDecision(given), given.reason, code, asked, { reason: given.reason }, given.detail)
	return {
		decision,
		tool: (given, asked, found) => {
			if (given.allowed && found) return null
			const isAboutTool =
				given.allowed || aboutTool.has(given.reason) || (!found && aboutCall.has(given.reason))
			if (!isAboutTool) return decision(given, asked, rpcCodes.invalidParams)
			const named = asked.server && !hidden.has(given.reason) ? asked : { ...asked, server: undefined }
			const words = wordsOf(given, named)
			const isPlain = given.allowed || aboutCall.has(given.reason) || !named.server
			const reason = isPlain ? 'tool_not_selected' : given.reason
			return refuse(words, 'tool_not_granted', rpcCodes.invalidParams, named, { reason })
		},
		part: ({ reason }, asked, part) => {
			const isPrompt = 'prompt' in part
			const tool = isPrompt ? part.prompt : part.resource
			const facts = { reason, tool: null, ...(isPrompt ? part : { uri: tool }) }
			return refuse(reason as RefusalCode, reason, rpcCodes.invalidParams, { ...asked, tool }, facts)
		},
		server: (agent) =>
			refuse(
				'server_not_granted',
				'server_not_granted',
				rpcCodes.accessDenied,
				{ agent },
				{
					reason: 'server_not_granted',
				},
			),
	}
}

type Refused = Exclude<ApprovalResult, { kind: 'run' }>

const codes: Readonly<Record<Refused['kind'], RefusalCode>> = {
	pending: 'approval_pending',
	denied: 'approval_denied',
	used: 'approval_used',
	expired: 'approval_expired',
	revoked: 'approval_revoked',
	full: 'approval_queue_full',
	too_large: 'approval_too_large',
}
/** Suggested retry delay while a person's decision is pending, in milliseconds. */
const pendingRetryMs = 5000

/** The refusal of a call that awaits approval or was denied. The same for every client in the same situation. */
export function refuseApproval(
	workspaceId: string,
	standing: Refused,
	names: RefusalNames,
	links: RefusalLinks,
	nowMs: number,
): RpcFailure {
	const code = codes[standing.kind]
	const retryMs = retryAfter(standing, nowMs)
	const link = standing.kind === 'pending' ? links.approval(workspaceId, standing.approvalId) : null
	const detail = standing.kind === 'denied' ? (standing.reason ?? 'no reason was given') : null
	const seconds = String(Math.ceil((retryMs ?? 0) / 1000))
	return namedFailure(rpcCodes.accessDenied, code, refusalText(code, { ...names, detail, seconds }, link), {
		status: 'denied',
		facts: {
			...{ tool: names.tool, agent: names.agent, server: names.server, reason: code },
			...('approvalId' in standing && { approval_id: standing.approvalId }),
			...(link !== null && { approval_url: link }),
			...(retryMs !== null && { retry_after_ms: retryMs }),
		},
	})
}

function retryAfter(standing: Refused, nowMs: number): number | null {
	if (standing.kind === 'pending' || standing.kind === 'full') return pendingRetryMs
	return standing.kind === 'used' ? Math.max(0, standing.againAtMs - nowMs) : null
}
