import { decideAccess, type GrantEntry, type GrantView, type Verdict } from '../access-grants/index.ts'
import type { AgentEntry, AgentView } from '../agents/index.ts'
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
	/** Finds a called tool: by the server's own name, or by the exposed name when `serverId` is null. */
	choose(agentId: string, serverId: string | null, name: string): ToolChoice
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
}

/** The one enforcement point of the gateway. */
export function createEnforcement({ agents, servers, grants }: EnforcementViews): Enforcement {
	const judge = (agentId: string, server: ServerEntry | undefined, tool: string | null) =>
		judgeSafely(agents.get(agentId), server, server && grants.get(agentId, server.id), tool)
	const refusalOf = (agentId: string, server: ServerEntry) => {
		const verdict = judge(agentId, server, null)
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
				.ofAgent(agentId)
				.map((grant) => servers.get(grant.serverId))
				.filter(
					(server): server is ServerEntry => server !== undefined && judge(agentId, server, null).allowed,
				)
				.sort((a, b) => (a.slug < b.slug ? -1 : 1)),
		toolsOf: (agentId, server) => server.tools.filter((tool) => judge(agentId, server, tool.name).allowed),
		choose: (agentId, serverId, name) => {
			const agent = agents.get(agentId)
			const found =
				serverId === null ? findExposed(agent, servers, grants, name) : findOwn(servers.get(serverId), name)
			const verdict = judge(agentId, found.server, found.tool?.name ?? name)
			return {
				...found,
				refusal: refusalOfTool(verdict, agent, serverId === null ? undefined : found.server, found, name),
			}
		},
		refusalOfAll: (agentId, server) =>
			refusalOf(agentId, server) ??
			refusalOfPart(agents.get(agentId), server, grants.get(agentId, server.id)),
		refusalOfServer: refusalOf,
		refusalOfAgent: (agentId) => {
			const verdict = judge(agentId, undefined, null)
			if (verdict.reason !== 'agent_unknown' && verdict.reason !== 'agent_not_active') return null
			return denied(verdict, rpcCodes.accessDenied, { agent: agents.get(agentId)?.name ?? null })
		},
	}
}

/** Whatever goes wrong in judging denies. */
function judgeSafely(
	agent: AgentEntry | undefined,
	server: ServerEntry | undefined,
	grant: GrantEntry | undefined,
	tool: string | null,
): Verdict {
	try {
		return decideAccess({ agent, server, grant, tool })
	} catch {
		return { allowed: false, reason: 'no_grant', text: 'Access could not be decided.' }
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
	if (!server || server.slug !== slugIn(name) || !grants.get(agent.id, server.id))
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
		verdict.reason === 'no_grant'
	if (!isAboutTool) return denied(verdict, rpcCodes.invalidParams, facts)
	const of = named ? ` of ${named.name}` : ''
	const text = `The tool ${name.slice(0, 256)}${of} is not granted to ${agent?.name ?? 'this agent'}. An admin of the workspace can grant it.`
	const reason = named && !verdict.allowed ? verdict.reason : 'tool_not_selected'
	return namedFailure(rpcCodes.invalidParams, 'tool_not_granted', text, {
		status: 'denied',
		facts: { ...facts, reason },
	})
}

function refusalOfPart(
	agent: AgentEntry | undefined,
	server: ServerEntry,
	grant: GrantEntry | undefined,
): RpcFailure | null {
	if (grant?.accessMode === 'all') return null
	const text = `${agent?.name ?? 'This agent'} is granted single tools of ${server.name}; prompts and resources need access to all of it.`
	return namedFailure(rpcCodes.invalidParams, 'tool_not_granted', text, {
		status: 'denied',
		facts: { agent: agent?.name ?? null, server: server.name, reason: 'access_mode_selected' },
	})
}

function denied(verdict: Verdict, code: number, facts: Record<string, unknown>): RpcFailure {
	return namedFailure(code, verdict.reason, verdict.text, {
		status: 'denied',
		facts: { ...facts, reason: verdict.reason },
	})
}
