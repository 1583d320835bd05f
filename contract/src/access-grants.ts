import { Type } from 'typebox'
import { byScope } from './access.ts'
import { agentStatuses } from './agents.ts'
import { approvers } from './approvals.ts'
import { CallLimits } from './call-limits.ts'
import {
	Id,
	IdParams,
	MapOf,
	Nullable,
	OneOf,
	optional,
	Pagination,
	pageQuery,
	Strict,
	Time,
	Warnings,
} from './common.ts'
import { operation } from './operation.ts'

export const accessModes = ['all', 'selected'] as const
export type AccessMode = (typeof accessModes)[number]

/** Every reason for a decision on access. */
export const accessReasons = {
	granted_all: 'All tools of the server are granted.',
	granted_selected: 'The tool is one of those granted.',
	granted_constrained: 'The tool is granted for arguments that satisfy the constraint of the grant.',
	granted_on_approval: 'The tool is granted, but each call needs the approval of a person.',
	agent_unknown: 'The agent does not exist.',
	agent_not_active: 'The agent is paused, stopped or in error.',
	server_unknown: 'The server does not exist.',
	server_inactive: 'The server is switched off.',
	no_grant: 'The agent has no grant on the server.',
	grant_expired: 'Every grant of the agent on the server has expired.',
	grant_disabled: 'The direct grant is disabled, which denies everything on the server.',
	tool_not_selected: 'No grant names the tool.',
	denied_by_hint: 'The grants deny tools with the annotation that the server gave this one, or left out.',
	prompt_not_selected: 'No grant names the prompt.',
	resource_not_selected: 'No grant has a pattern that the resource matches.',
	arguments_refused: 'The arguments do not satisfy the constraint of any grant.',
	approval_required: 'The call needs the approval of a person.',
	definition_changed: 'The definition of the tool waits for approval.',
	undecidable: 'Access could not be decided, so it is denied.',
} as const
export type AccessReason = keyof typeof accessReasons

/** Annotations of MCP tools by which a grant can deny them. Their values are claimed by the server. */
export const deniableHints = ['destructiveHint', 'openWorldHint'] as const
export type DeniableHint = (typeof deniableHints)[number]

const AllowedTools = Nullable(
	Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 2000, uniqueItems: true }),
)
/** Null with the access mode `all`, otherwise a list. */
const parts = {
	allowed_prompts: Nullable(
		Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
			maxItems: 2000,
			uniqueItems: true,
			description: "With `selected`: the server's own names of prompts; empty: none",
		}),
	),
	allowed_resources: Nullable(
		Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
			maxItems: 500,
			uniqueItems: true,
			description:
				'With `selected`: URIs or URI templates; `*` matches any text, `{name}` text without `/`; empty: none',
		}),
	),
}

/** Where a grant comes from: created by hand, or derived from a toolset and read-only. */
export const GrantSource = Strict(
	{
		kind: OneOf(['manual', 'toolset']),
		id: Type.Optional(Id),
		name: Type.Optional(Type.String()),
	},
	{ title: 'GrantSource' },
)

const limits = {
	expires_at: Nullable(Time),
	constraints: MapOf(Type.Unknown(), {
		maxProperties: 200,
		description:
			"Tool → JSON Schema (draft 2020-12) that the call's arguments must satisfy; see docs/access.md",
	}),
	approval: MapOf(OneOf(['ask']), {
		maxProperties: 2000,
		description: 'Tool → `ask`: a call needs the approval of a person',
	}),
	approver: OneOf(approvers, {
		description:
			'Who may approve: `workspace`: admins and keys with `approvals:decide`; `caller`: also the person who uses the agent',
	}),
	approval_wait_ms: Nullable(
		Type.Integer({
			minimum: 0,
			maximum: 120_000,
			description: 'Time a call waits before the client gets `approval_pending`; null: 60000',
		}),
	),
	denied_hints: Type.Array(OneOf(deniableHints), {
		maxItems: deniableHints.length,
		uniqueItems: true,
		description:
			'Denies tools by annotation, even those named in `tools`. `destructiveHint`: all that do not claim to be read-only or not destructive; `openWorldHint`: all that do not claim a closed world. Claims are not verified',
	}),
	call_limits: MapOf(CallLimits, {
		maxProperties: 200,
		description: 'Tool (`*`: all of the server together) → limits for the calls of this agent',
	}),
}

/** An element of a server's `agent_access`. */
export const AgentAccess = Strict(
	{
		id: Id,
		agent: Strict({ uuid: Id, name: Type.String(), status: OneOf(agentStatuses) }, { title: 'AgentSummary' }),
		access_mode: OneOf(accessModes),
		allowed_tools: AllowedTools,
		...parts,
		enabled: Type.Boolean(),
		...limits,
		source: GrantSource,
	},
	{ title: 'AgentAccess' },
)

const named = { id: Id, server_id: Id, agent_uuid: Id }
const times = { created_at: Time, updated_at: Time }

export const AccessGrant = Strict(
	{
		...named,
		access_mode: OneOf(accessModes),
		allowed_tools: AllowedTools,
		...parts,
		enabled: Type.Boolean(),
		...limits,
		source: GrantSource,
		...times,
		warnings: Warnings,
	},
	{ title: 'AccessGrant' },
)

const ServerSummary = Strict({ id: Id, name: Type.String(), slug: Type.String() }, { title: 'ServerSummary' })
const toolAccess = {
	name: Type.String(),
	allowed: Type.Boolean(),
	reason: OneOf(Object.keys(accessReasons)),
	text: Type.String(),
}
const Tokens = Nullable(
	Type.Integer({
		description: 'Tokens (o200k_base) of the definitions that the agent sees; null until counted',
	}),
)
const Via = Strict({ grant_id: Id, source: GrantSource }, { title: 'GrantingGrant' })

/** A grant as listed for its agent: what it would allow on its own, tool by tool. */
export const GrantOfAgent = Strict(
	{
		grant: AccessGrant,
		server: ServerSummary,
		tools: Type.Array(Strict(toolAccess, { title: 'ToolAccess' })),
	},
	{ title: 'GrantOfAgent' },
)

/** What all grants of an agent on a server allow together. Tool listings and decisions on calls are based on it. */
export const EffectiveAccess = Strict(
	{
		server: ServerSummary,
		definition_tokens: Tokens,
		tools: Type.Array(
			Strict(
				{
					...toolAccess,
					definition_tokens: Tokens,
					via: Type.Array(Via, { description: 'The grants that allow the tool; empty when it is denied' }),
				},
				{ title: 'EffectiveTool' },
			),
		),
	},
	{ title: 'EffectiveAccess' },
)

const MatrixCell = Strict(
	{
		server_id: Id,
		grants: Type.Array(
			Strict(
				{
					id: Id,
					source: GrantSource,
					enabled: Type.Boolean(),
					expires_at: Nullable(Time),
					created_at: Time,
					changed_by: Nullable(Type.String({ description: 'Who last changed the grant or its toolset' })),
					changed_at: Time,
				},
				{ title: 'MatrixGrant' },
			),
		),
		tools: Type.Array(
			Strict(
				{ name: Type.String(), allowed: Type.Boolean(), reason: OneOf(Object.keys(accessReasons)) },
				{ title: 'MatrixDecision' },
			),
			{ description: 'The decision for each tool that a grant names; all others are denied' },
		),
		unknown_tools: Type.Array(Type.String(), {
			description: 'Tools named in grants that the server does not have',
		}),
	},
	{ title: 'MatrixCell' },
)

const AccessMatrix = Strict(
	{
		servers: Type.Array(
			Strict(
				{
					id: Id,
					name: Type.String(),
					slug: Type.String(),
					status: Type.String(),
					tools: Type.Array(Type.String()),
				},
				{ title: 'MatrixServer' },
			),
		),
		agents: Type.Array(
			Strict(
				{
					uuid: Id,
					name: Type.String(),
					status: OneOf(agentStatuses),
					access: Type.Array(MatrixCell, { description: 'Servers on which the agent has a grant' }),
				},
				{ title: 'MatrixAgent' },
			),
		),
		pagination: Pagination,
	},
	{ title: 'AccessMatrix' },
)

/** The terms of a grant in a request body. */
export const grantFields = {
	access_mode: Type.Optional(OneOf(accessModes)),
	allowed_tools: Type.Optional(AllowedTools),
	...optional(parts),
	enabled: Type.Optional(Type.Boolean()),
	...optional(limits),
}
const GrantParams = Strict({ id: Id, agentId: Id })

export const accessGrantOperations = {
	list: operation({
		id: 'access.list',
		method: 'GET',
		path: '/v1/mcp/servers/{id}/access',
		summary: 'List the agents that may use this server',
		access: byScope('access:read'),
		params: IdParams,
		status: 200,
		response: Strict({ access: Type.Array(AgentAccess) }, { title: 'AgentAccessList' }),
	}),
	create: operation({
		id: 'access.create',
		method: 'POST',
		path: '/v1/mcp/servers/{id}/access',
		summary: 'Grant an agent all or selected tools of this server',
		description:
			'An agent has at most one direct grant on a server, and any number derived from toolsets. All enabled grants count together; a disabled direct grant denies everything.',
		access: byScope('access:write'),
		params: IdParams,
		body: Strict({ agent_uuid: Id, ...grantFields }),
		status: 201,
		response: AccessGrant,
	}),
	get: operation({
		id: 'access.get',
		method: 'GET',
		path: '/v1/mcp/servers/{id}/access/{agentId}',
		summary: 'Get the direct grant of an agent on this server',
		access: byScope('access:read'),
		params: GrantParams,
		status: 200,
		response: AccessGrant,
		observed: ['warnings'],
	}),
	update: operation({
		id: 'access.update',
		method: 'PATCH',
		path: '/v1/mcp/servers/{id}/access/{agentId}',
		summary: 'Change a grant; effective within 1 s, running streams included',
		access: byScope('access:write'),
		params: GrantParams,
		description:
			'Changes the direct grant; one derived from a toolset answers 409 `derived_grant`. Unchanged read-only fields are accepted.',
		body: Strict(
			{ ...optional({ ...named, source: GrantSource, ...times, warnings: Warnings }), ...grantFields },
			{ minProperties: 1 },
		),
		status: 200,
		response: AccessGrant,
	}),
	delete: operation({
		id: 'access.delete',
		method: 'DELETE',
		path: '/v1/mcp/servers/{id}/access/{agentId}',
		summary: 'Delete the direct grant of an agent on this server',
		access: byScope('access:write'),
		params: GrantParams,
		status: 204,
		response: null,
	}),
	matrix: operation({
		id: 'access.matrix',
		method: 'GET',
		path: '/v1/access/matrix',
		summary: 'Agents and tools: the decision for each pair, by which grants, and who changed them last',
		description: 'Agents are paged, by name; every page has all servers of the workspace with their tools.',
		access: byScope('access:read'),
		query: Strict({
			page: pageQuery.page,
			limit: pageQuery.limit,
			q: Type.Optional(
				Type.String({ minLength: 1, maxLength: 100, description: 'Agents whose name contains this' }),
			),
		}),
		status: 200,
		response: AccessMatrix,
	}),
	ofAgent: operation({
		id: 'access.of-agent',
		method: 'GET',
		path: '/v1/agents/{id}/access',
		summary: 'All grants of an agent, with the decision and its reason for every tool',
		access: byScope('access:read'),
		params: IdParams,
		status: 200,
		response: Strict(
			{
				access: Type.Array(GrantOfAgent),
				effective: Type.Array(EffectiveAccess),
				definition_tokens: Tokens,
			},
			{ title: 'AccessOfAgent' },
		),
	}),
}
