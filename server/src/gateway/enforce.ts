import type { AgentEntry, AgentView } from '../access/agents/agents.ts'
import {
	type AccessDecision,
	type AccessQuery,
	decideAccess,
	type GrantEntry,
	type GrantView,
} from '../access/grants/index.ts'
import type { RpcFailure } from '../mcp-client/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Bound } from '../platform/limits/limiter.ts'
import type { ServerEntry, ServerView, ToolDefinition } from '../servers/servers.ts'
import { boundsOfCall } from './limits-of-calls/call-limits.ts'
import { hasParamHeaders } from './protocol/param-headers.ts'
import { createAccessRefusals, type RefusalLinks, type ServerPart } from './refusals/refusals.ts'
import { exposedTools, prefixIn } from './tool-names.ts'

/** A requested tool: its server, and whether it may be used. */
export interface ToolChoice {
	server: ServerEntry | undefined
	/** The server's own definition; undefined when the server has no such tool. */
	tool: ToolDefinition | undefined
	refusal: RpcFailure | null
	/** Set if the call needs a person's approval; null if it may run, or is denied. */
	approval: NonNullable<AccessDecision['approval']> | null
}

/** A tool that an agent may be shown. */
export interface GrantedTool {
	tool: ToolDefinition
	/** Whether each call waits for the approval of a person. */
	needsApproval: boolean
}

/**
 * Everything that determines an agent's lists at an endpoint. While these are the same objects, the lists are unchanged, until
 * `untilMs`.
 */
export interface ListInputs {
	facts: readonly unknown[]
	untilMs: number
}

/** Which tools an agent sees and may call. Lists and calls use the same decision function. */
export interface Enforcement {
	agent(agentId: string): AgentEntry | undefined
	server(serverId: string): ServerEntry | undefined
	/** The servers that the agent may use at all, by slug. */
	serversOf(agentId: string): ServerEntry[]
	toolsOf(agentId: string, server: ServerEntry): GrantedTool[]
	/** Of one server, or of all when `serverId` is null. */
	listInputsOf(agentId: string, serverId: string | null): ListInputs
	/**
	 * Finds a called tool by the server's own name, or by its exposed name if `serverId` is null. Without arguments, access is decided
	 * as for a list.
	 */
	choose(agentId: string, serverId: string | null, name: string, values?: unknown): ToolChoice
	/** Whether a grant constrains the call's arguments or requires approval. */
	decidesByCall(agentId: string, serverId: string, tool: string): boolean
	/** Whether any server's tool of this name wants arguments repeated in headers. */
	mirrorsArguments(agentId: string, serverId: string | null, name: string): boolean
	/** Whether the agent may use a prompt or resource of the server; called for each item of a list. */
	mayUse(agentId: string, server: ServerEntry, part: ServerPart): boolean
	refusalOfPart(agentId: string, server: ServerEntry, part: ServerPart): RpcFailure | null
	/** Why a server's endpoint is refused to the agent, or null. `server` is undefined when no server has that name. */
	refusalOfServer(agentId: string, server: ServerEntry | undefined): RpcFailure | null
	/** The limits that apply to a call of a tool; usually none. */
	boundsOf(agentId: string, server: ServerEntry, tool: string): readonly Bound[]
	/** Why the agent is refused, or null while it may act. */
	refusalOfAgent(agentId: string): RpcFailure | null
}

export interface EnforcementViews {
	agents: AgentView
	servers: ServerView
	grants: GrantView
	clock: Clock
	links: RefusalLinks
}

const ofParts: ReadonlySet<string> = new Set(['prompt_not_selected', 'resource_not_selected'])

/** The one enforcement point of the gateway. */
export function createEnforcement({ agents, servers, grants, clock, links }: EnforcementViews): Enforcement {
	const refuse = createAccessRefusals(links)
	const decide = (
		agentId: string,
		server: ServerEntry | undefined,
		tool: string | null,
		more?: Pick<AccessQuery, 'arguments' | 'definition' | 'prompt' | 'resource'>,
	) =>
		decideAccess({
			agent: agents.get(agentId),
			server,
			grants: server ? grants.of(agentId, server.id) : [],
			tool,
			suspended: tool === null ? undefined : server?.suspended.get(tool),
			nowMs: clock.nowMs(),
			...more,
		})
	const refusalOf = (agentId: string, server: ServerEntry, part?: ServerPart) => {
		const decision = decide(agentId, server, null, part)
		const asked = { agent: agents.get(agentId), server }
		if (decision.allowed) return null
		if (decision.reason === 'no_grant') return refuse.server(asked.agent)
		return part && ofParts.has(decision.reason)
			? refuse.part(decision, asked, part)
			: refuse.decision(decision, asked)
	}
	return {
		agent: (agentId) => agents.get(agentId),
		server: (serverId) => servers.get(serverId),
		serversOf: (agentId) =>
			grants
				.serversOf(agentId)
				.map((serverId) => servers.get(serverId))
				.filter(
					(server): server is ServerEntry => server !== undefined && decide(agentId, server, null).allowed,
				)
				.sort((a, b) => (a.slug < b.slug ? -1 : 1)),
		toolsOf: (agentId, server) => {
			const asked = {
				agent: agents.get(agentId),
				server,
				grants: grants.of(agentId, server.id),
				nowMs: clock.nowMs(),
			}
			return server.tools.flatMap((tool) => {
				const { name } = tool
				const suspended = server.suspended.get(name)
				const { allowed, reason } = decideAccess({ ...asked, tool: name, definition: tool, suspended })
				return allowed ? [{ tool, needsApproval: reason === 'granted_on_approval' }] : []
			})
		},
		listInputsOf: (agentId, serverId) => {
			const held = serverId === null ? grants.serversOf(agentId) : [serverId]
			const granted = held.map((id) => grants.of(agentId, id))
			const facts = [agents.get(agentId), ...held.map((id) => servers.get(id)), ...granted]
			return { facts, untilMs: firstEnd(granted.flat(), clock.nowMs()) }
		},
		choose: (agentId, serverId, name, values) => {
			const agent = agents.get(agentId)
			const found =
				serverId === null ? findExposed(agent, servers, grants, name) : findOwn(servers.get(serverId), name)
			const decision = decide(agentId, found.server, found.tool?.name ?? name, {
				arguments: values,
				definition: found.tool,
			})
			if (decision.approval && found.tool) return { ...found, refusal: null, approval: decision.approval }
			const asked = {
				agent,
				tool: name,
				server: isNamed(serverId, decision, found) ? found.server : undefined,
			}
			return { ...found, refusal: refuse.tool(decision, asked, found.tool), approval: null }
		},
		decidesByCall: (agentId, serverId, tool) =>
			grants.of(agentId, serverId).some(({ constraints, asks }) => constraints?.has(tool) || asks?.has(tool)),
		mirrorsArguments: (agentId, serverId, name) => {
			const { tool } =
				serverId === null
					? findExposed(agents.get(agentId), servers, grants, name)
					: findOwn(servers.get(serverId), name)
			return tool !== undefined && hasParamHeaders(tool)
		},
		mayUse: (agentId, server, part) => decide(agentId, server, null, part).allowed,
		refusalOfPart: refusalOf,
		refusalOfServer: (agentId, server) =>
			server ? refusalOf(agentId, server) : refuse.server(agents.get(agentId)),
		boundsOf: (agentId, server, tool) =>
			boundsOfCall(agents.get(agentId), server, tool, grants.of(agentId, server.id), clock.nowMs()),
		refusalOfAgent: (agentId) => {
			const decision = decide(agentId, undefined, null)
			if (decision.reason !== 'agent_unknown' && decision.reason !== 'agent_not_active') return null
			return refuse.decision(decision, { agent: agents.get(agentId) })
		},
	}
}

/** When the first of the grants expires that has not expired yet, in milliseconds. */
function firstEnd(grants: readonly GrantEntry[], nowMs: number): number {
	let first = Number.POSITIVE_INFINITY
	for (const { expiresAtMs } of grants)
		if (expiresAtMs !== null && expiresAtMs > nowMs) first = Math.min(first, expiresAtMs)
	return first
}

/** Reasons that concern a server on which the agent has a grant. */
const ofServer: ReadonlySet<string> = new Set(['definition_changed', 'server_inactive', 'grant_disabled'])

/**
 * Whether a refusal may name the server. On the aggregate endpoint it may if the server is the reason; otherwise only for an
 * agent that has the tool.
 */
function isNamed(
	serverId: string | null,
	{ allowed, reason }: AccessDecision,
	{ server, tool }: Found,
): boolean {
	if (serverId !== null || ofServer.has(reason)) return true
	// An agent with all tools of a server may know that the server has no such tool, or cannot be reached.
	if (allowed && server) return true
	return tool !== undefined && (reason === 'arguments_refused' || reason === 'denied_by_hint')
}

type Found = Pick<ToolChoice, 'server' | 'tool'>

function findOwn(server: ServerEntry | undefined, name: string): Found {
	return { server, tool: server && exposedTools(server).own.get(name) }
}

/** Considers only servers on which the agent has a grant. Others must look as if they did not exist. */
function findExposed(
	agent: AgentEntry | undefined,
	servers: ServerView,
	grants: GrantView,
	name: string,
): Found {
	const server =
		agent &&
		(servers.withAlias(agent.workspaceId, name) ?? servers.withPrefix(agent.workspaceId, prefixIn(name)))
	if (!server || grants.of(agent.id, server.id).length === 0) return { server: undefined, tool: undefined }
	return { server, tool: exposedTools(server).byName.get(name) }
}
