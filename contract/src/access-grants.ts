import { Type } from 'typebox'
import { byRoleOrScope } from './access.ts'
import { agentStatuses } from './agents.ts'
import { Id, IdParams, Nullable, OneOf, optional, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

export const accessModes = ['all', 'selected'] as const
export type AccessMode = (typeof accessModes)[number]

const AllowedTools = Nullable(
	Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 2000, uniqueItems: true }),
)

/** The element of `agent_access` of the seed. */
export const AgentAccess = Strict(
	{
		id: Id,
		agent: Strict({ uuid: Id, name: Type.String(), status: OneOf(agentStatuses) }, { title: 'AgentSummary' }),
		access_mode: OneOf(accessModes),
		allowed_tools: AllowedTools,
		enabled: Type.Boolean(),
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
		enabled: Type.Boolean(),
		...times,
	},
	{ title: 'AccessGrant' },
)

/** A grant seen from its agent: what it really opens, tool by tool. */
export const EffectiveAccess = Strict(
	{
		grant: AccessGrant,
		server: Strict({ id: Id, name: Type.String(), slug: Type.String() }, { title: 'ServerSummary' }),
		tools: Type.Array(
			Strict(
				{ name: Type.String(), allowed: Type.Boolean(), reason: Type.String() },
				{ title: 'ToolVerdict' },
			),
		),
	},
	{ title: 'EffectiveAccess' },
)

const grantFields = {
	access_mode: Type.Optional(OneOf(accessModes)),
	allowed_tools: Type.Optional(AllowedTools),
	enabled: Type.Optional(Type.Boolean()),
}
const GrantParams = Strict({ id: Id, agentId: Id })

export const accessGrantOperations = {
	list: operation({
		id: 'access.list',
		method: 'GET',
		path: '/v1/mcp/servers/{id}/access',
		summary: 'Which agents may use this server',
		access: byRoleOrScope('viewer', 'access:read'),
		params: IdParams,
		status: 200,
		response: Strict({ access: Type.Array(AgentAccess) }, { title: 'AgentAccessList' }),
	}),
	create: operation({
		id: 'access.create',
		method: 'POST',
		path: '/v1/mcp/servers/{id}/access',
		summary: 'Grant an agent all or selected tools of this server',
		access: byRoleOrScope('admin', 'access:write'),
		params: IdParams,
		body: Strict({ agent_uuid: Id, ...grantFields }),
		status: 201,
		response: AccessGrant,
	}),
	update: operation({
		id: 'access.update',
		method: 'PATCH',
		path: '/v1/mcp/servers/{id}/access/{agentId}',
		summary: 'Change a grant; effective within 1 s, running streams included',
		access: byRoleOrScope('admin', 'access:write'),
		params: GrantParams,
		description: 'Read-only fields are accepted when they are unchanged.',
		body: Strict({ ...optional({ ...named, ...times }), ...grantFields }, { minProperties: 1 }),
		status: 200,
		response: AccessGrant,
	}),
	delete: operation({
		id: 'access.delete',
		method: 'DELETE',
		path: '/v1/mcp/servers/{id}/access/{agentId}',
		summary: 'Take the access away',
		access: byRoleOrScope('admin', 'access:write'),
		params: GrantParams,
		status: 204,
		response: null,
	}),
	ofAgent: operation({
		id: 'access.of-agent',
		method: 'GET',
		path: '/v1/agents/{id}/access',
		summary: 'All grants of an agent, with the verdict and its reason for every tool',
		access: byRoleOrScope('viewer', 'access:read'),
		params: IdParams,
		status: 200,
		response: Strict({ access: Type.Array(EffectiveAccess) }, { title: 'EffectiveAccessList' }),
	}),
}
