import { Type } from 'typebox'
import { byScope } from './access.ts'
import { CallLimits } from './call-limits.ts'
import {
	Id,
	IdParams,
	Name,
	Nullable,
	OneOf,
	optional,
	Pagination,
	pageQuery,
	Strict,
	Time,
	Warnings,
} from './common.ts'
import { callingKeyInput, credentialListQuery, KeyList, NewKey } from './keys.ts'
import { operation } from './operation.ts'

export const agentStatuses = ['active', 'paused', 'stopped', 'error'] as const
export type AgentStatus = (typeof agentStatuses)[number]

/** How tools are listed to an agent on `/mcp`. */
export const toolListings = ['all', 'search', 'auto'] as const
export type ToolListing = (typeof toolListings)[number]

const ToolListingField = OneOf(toolListings, {
	description:
		'What `/mcp` lists. `all`: every granted tool; `search`: only `find_tools` and `call_tool`; `auto`: `search` above about 20,000 tokens of definitions',
})

/** Names of groups of agents; toolsets are given to groups. */
export const Groups = Type.Array(
	Type.String({ pattern: '^[a-z0-9]+([._-][a-z0-9]+)*$', maxLength: 64, examples: ['support'] }),
	{ maxItems: 50, uniqueItems: true },
)

/** Which models an agent may call. */
export const ModelAccess = Strict(
	{
		mode: OneOf(['all', 'selected']),
		connections: Type.Optional(
			Type.Array(
				Strict({
					name: Type.String({
						minLength: 1,
						maxLength: 100,
						description: "The connection's name in the proxy path",
					}),
					models: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
						maxItems: 200,
						uniqueItems: true,
						description: 'Model names; `*` matches any characters',
					}),
				}),
				{ maxItems: 100, description: 'Required with mode `selected`, absent with `all`' },
			),
		),
	},
	{ title: 'ModelAccess' },
)

const ids = { uuid: Id, id: Id }
const observed = {
	status: OneOf(agentStatuses),
	created_at: Time,
	updated_at: Time,
	mcp_server_count: Type.Integer({
		description:
			'Number of servers on which the agent has a grant that has not expired, unless such a grant is disabled',
	}),
	last_seen_at: Nullable(Time),
	warnings: Warnings,
}

export const Agent = Strict(
	{
		...ids,
		name: Type.String(),
		description: Type.String(),
		...observed,
		groups: Type.Array(Type.String()),
		model_access: ModelAccess,
		call_limits: Nullable(CallLimits),
		tool_listing: ToolListingField,
	},
	{ title: 'Agent' },
)

const listQuery = Strict({
	...pageQuery,
	status: Type.Optional(OneOf(agentStatuses)),
	q: Type.Optional(Type.String({ maxLength: 100, description: 'Agents whose name contains this' })),
	group: Type.Optional(Type.String({ maxLength: 64, description: 'Agents in this group' })),
	sort: OneOf(['name', 'created_at', 'updated_at'], { default: 'created_at' }),
})
const AgentList = Strict({ agents: Type.Array(Agent), pagination: Pagination }, { title: 'AgentList' })
const changeable = {
	description: Type.Optional(Type.String({ maxLength: 500 })),
	groups: Type.Optional(Groups),
	model_access: Type.Optional(ModelAccess),
	call_limits: Type.Optional({
		...Nullable(CallLimits),
		description: 'Limits for all tool calls of the agent together; null: none',
	}),
	tool_listing: Type.Optional(ToolListingField),
	tool_face: Type.Optional(OneOf(toolListings, { description: 'The former name of `tool_listing`' })),
}
const needsAccessWrite =
	'Groups, model access and call limits decide what an agent may do: setting them needs the role admin or the scope access:write.'

export const installTargets = [
	'claude-code',
	'codex',
	'cursor',
	'vs-code',
	'windsurf',
	'claude-desktop',
	'gemini-cli',
	'generic',
] as const

const AgentInstall = Strict(
	{
		url: Type.String({ description: 'The MCP endpoint for clients with a key' }),
		key_placeholder: Type.String({ description: 'Replace it with a key of the agent' }),
		clients: Type.Array(
			Strict(
				{
					client: OneOf(installTargets),
					name: Type.String(),
					steps: Type.Array(
						Strict(
							{
								kind: OneOf(['command', 'file', 'link']),
								/** For a file: where the text belongs. */
								path: Type.Optional(Type.String()),
								language: Type.Optional(OneOf(['json', 'toml', 'shell'])),
								text: Type.String(),
							},
							{ title: 'InstallStep' },
						),
						{ description: 'Alternatives, best first' },
					),
				},
				{ title: 'ClientInstall' },
			),
		),
	},
	{ title: 'AgentInstall' },
)

function transition(verb: 'pause' | 'resume' | 'stop' | 'start', summary: string) {
	return operation({
		id: `agents.${verb}`,
		method: 'POST',
		path: `/v1/agents/{id}/${verb}`,
		summary,
		access: byScope('agents:write'),
		params: IdParams,
		status: 200,
		response: Agent,
	})
}

export const agentOperations = {
	/** The same list at the path that older clients use. */
	listSeed: operation({
		id: 'agents.list-seed',
		method: 'GET',
		path: '/agent/list',
		summary: 'List agents',
		access: byScope('agents:read'),
		query: listQuery,
		status: 200,
		response: AgentList,
	}),
	list: operation({
		id: 'agents.list',
		method: 'GET',
		path: '/v1/agents',
		summary: 'List agents',
		access: byScope('agents:read'),
		query: listQuery,
		status: 200,
		response: AgentList,
	}),
	create: operation({
		id: 'agents.create',
		method: 'POST',
		path: '/v1/agents',
		summary: 'Create an agent; it is active at once',
		access: byScope('agents:write'),
		description: needsAccessWrite,
		body: Strict({ name: Name, ...changeable }),
		status: 201,
		response: Agent,
	}),
	get: operation({
		id: 'agents.get',
		method: 'GET',
		path: '/v1/agents/{id}',
		summary: 'Get an agent',
		access: byScope('agents:read'),
		params: IdParams,
		status: 200,
		response: Agent,
		observed: ['last_seen_at', 'mcp_server_count', 'warnings'],
	}),
	update: operation({
		id: 'agents.update',
		method: 'PATCH',
		path: '/v1/agents/{id}',
		summary: 'Change the name, description, groups, model access or call limits of an agent',
		access: byScope('agents:write'),
		params: IdParams,
		description: `Read-only fields are accepted when they are unchanged. ${needsAccessWrite}`,
		body: Strict(
			{ ...optional({ ...ids, ...observed }), name: Type.Optional(Name), ...changeable },
			{ minProperties: 1 },
		),
		status: 200,
		response: Agent,
	}),
	delete: operation({
		id: 'agents.delete',
		method: 'DELETE',
		path: '/v1/agents/{id}',
		summary: 'Delete an agent with its keys and grants',
		access: byScope('agents:write', 'agents:delete'),
		params: IdParams,
		status: 204,
		response: null,
	}),
	pause: transition('pause', 'Pause an agent: its calls are refused at once, running streams included'),
	resume: transition('resume', 'Resume a paused agent'),
	stop: transition('stop', 'Stop an agent'),
	start: transition('start', 'Start a stopped agent'),
	install: operation({
		id: 'agents.install',
		method: 'GET',
		path: '/v1/agents/{id}/install',
		summary: 'Ready configuration for MCP clients; the key in it is a placeholder',
		access: byScope('agents:read'),
		params: IdParams,
		query: Strict({
			server: Type.Optional(
				Type.String({ maxLength: 100, description: 'Slug or id of one server; absent: everything granted' }),
			),
		}),
		status: 200,
		response: AgentInstall,
	}),
	listKeys: operation({
		id: 'agents.list-keys',
		method: 'GET',
		path: '/v1/agents/{id}/keys',
		summary: 'List the keys that act as this agent',
		access: byScope('keys:read'),
		params: IdParams,
		query: Strict(credentialListQuery),
		status: 200,
		response: KeyList,
	}),
	createKey: operation({
		id: 'agents.create-key',
		secrets: ['key'],
		method: 'POST',
		path: '/v1/agents/{id}/keys',
		summary: 'Create a key that acts as this agent; the secret is shown once',
		access: byScope('keys:write'),
		params: IdParams,
		body: Strict(callingKeyInput),
		status: 201,
		response: NewKey,
	}),
}
