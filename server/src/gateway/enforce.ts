import { type AccessQuestion, decideAccess, type GrantView, type Verdict } from '../access-grants/index.ts'
import type { AgentEntry, AgentView } from '../agents/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { ServerEntry, ServerView, ToolDefinition } from '../servers/index.ts'
import { namedFailure, type RpcFailure, rpcCodes } from './json-rpc/failure.ts'
import { exposedTools, slugIn } from './tool-names.ts'

/** A tool that was asked for: where it lives, and whether it may be used. */
export interface ToolChoice {
	server: ServerEntry | undefined
	/** The server's own definition; undefined when the server has no such tool. */
	tool: ToolDefinition | undefined
	refusal: RpcFailure | null
}

/** Which tools one agent sees and may call: lists and calls ask the same question of the same judge. */
export interface Enforcement {
	agent(agentId: string): AgentEntry | undefined
	server(serverId: string): ServerEntry | undefined
	/** The servers that the agent may use at all, by slug. */
	serversOf(agentId: string): ServerEntry[]
	toolsOf(agentId: string, server: ServerEntry): ToolDefinition[]
	/**
	 * Finds a called tool: by the server's own name, or by the exposed name when `serverId` is null. Without arguments it
	 * is judged as for a list.
	 */
	choose(agentId: string, serverId: string | null, name: string, values?: unknown): ToolChoice
	/** Whether the agent may use everything of the server, which methods beside tools need. */
	refusalOfAll(agentId: string, server: ServerEntry): RpcFailure | null
	refusalOfServer(agentId: string, server: ServerEntry): RpcFailure | null
	/** Null while the agent may act. */
	refusalOfAgent(agentId: string): RpcFailure | null
}

export interface EnforcementViews {
	agents: AgentView
	servers: ServerView
	grants: GrantView
	clock: Clock
}

/** The one enforcement point of the gateway. */
export function createEnforcement({ agents, servers, grants, clock }: EnforcementViews): Enforcement {
	const judge = (
		agentId: string,
		server: ServerEntry | undefined,
		tool: string | null,
		more?: Pick<AccessQuestion, 'arguments' | 'everything'>,
	) =>
		decideAccess({
			agent: agents.get(agentId),
			server,
			grants: server ? grants.of(agentId, server.id) : [],
			tool,
			nowMs: clock.nowMs(),
			...more,
		})
	const refusalOf = (agentId: string, server: ServerEntry, everything = false) => {
		const verdict = judge(agentId, server, null, { everything })
		if (verdict.reason === 'access_mode_selected') return refusalOfPart(verdict, agents.get(agentId), server)
		return verdict.allowed
			? null
			: denied(verdict, rpcCodes.accessDenied, {
					agent: agents.get(agentId)?.name ?? null,
					server: server.name,
				})
	}
	return {
		agent: (agentId) => agents.get(agentId),
		server: (serverId) => servers.get(serverId),
		serversOf: (agentId) =>
			grants
				.serversOf(agentId)
				.map((serverId) => servers.get(serverId))
				.filter(
					(server): server is ServerEntry => server !== undefined && judge(agentId, server, null).allowed,
				)
				.sort((a, b) => (a.slug < b.slug ? -1 : 1)),
		toolsOf: (agentId, server) => server.tools.filter((tool) => judge(agentId, server, tool.name).allowed),
		choose: (agentId, serverId, name, values) => {
			const agent = agents.get(agentId)
			const found =
				serverId === null ? findExposed(agent, servers, grants, name) : findOwn(servers.get(serverId), name)
			const verdict = judge(agentId, found.server, found.tool?.name ?? name, { arguments: values })
			return {
				...found,
				refusal: refusalOfTool(verdict, agent, serverId === null ? undefined : found.server, found, name),
			}
		},
		refusalOfAll: (agentId, server) => refusalOf(agentId, server, true),
		refusalOfServer: (agentId, server) => refusalOf(agentId, server),
		refusalOfAgent: (agentId) => {
			const verdict = judge(agentId, undefined, null)
			if (verdict.reason !== 'agent_unknown' && verdict.reason !== 'agent_not_active') return null
			return denied(verdict, rpcCodes.accessDenied, { agent: agents.get(agentId)?.name ?? null })
		},
	}
}

type Found = Pick<ToolChoice, 'server' | 'tool'>

function findOwn(server: ServerEntry | undefined, name: string): Found {
	return { server, tool: server && exposedTools(server).own.get(name) }
}

/** Looks only at servers that the agent has a grant on: the rest must look as if they did not exist. */
function findExposed(
	agent: AgentEntry | undefined,
	servers: ServerView,
	grants: GrantView,
	name: string,
): Found {
	const server = agent && servers.find(agent.workspaceId, slugIn(name))
	if (!server || server.slug !== slugIn(name) || grants.of(agent.id, server.id).length === 0)
		return { server: undefined, tool: undefined }
	return { server, tool: exposedTools(server).byName.get(name) }
}

/** A tool that the server does not have is refused in the same words as one that is not granted. */
function refusalOfTool(
	verdict: Verdict,
	agent: AgentEntry | undefined,
	named: ServerEntry | undefined,
	found: Found,
	name: string,
): RpcFailure | null {
	if (verdict.allowed && found.tool) return null
	const facts = { tool: name, agent: agent?.name ?? null, server: named?.name ?? null }
	const isAboutTool =
		verdict.allowed ||
		verdict.reason === 'tool_not_selected' ||
		verdict.reason === 'server_unknown' ||
		verdict.reason === 'no_grant' ||
		verdict.reason === 'grant_expired'
	if (!isAboutTool) return denied(verdict, rpcCodes.invalidParams, facts)
	const of = named ? ` of ${named.name}` : ''
	const text = `The tool ${name.slice(0, 256)}${of} is not granted to ${agent?.name ?? 'this agent'}. An admin of the workspace can grant it.`
	const reason = named && !verdict.allowed ? verdict.reason : 'tool_not_selected'
	return namedFailure(rpcCodes.invalidParams, 'tool_not_granted', text, {
		status: 'denied',
		facts: { ...facts, reason },
	})
}

function refusalOfPart(verdict: Verdict, agent: AgentEntry | undefined, server: ServerEntry): RpcFailure {
	return namedFailure(rpcCodes.invalidParams, 'tool_not_granted', verdict.text, {
		status: 'denied',
		facts: { agent: agent?.name ?? null, server: server.name, reason: verdict.reason },
	})
}

function denied(verdict: Verdict, code: number, facts: Record<string, unknown>): RpcFailure {
	return namedFailure(code, verdict.reason, verdict.text, {
		status: 'denied',
		facts: { ...facts, reason: verdict.reason },
	})
}
