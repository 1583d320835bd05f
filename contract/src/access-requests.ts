import { Type } from 'typebox'
import { byScope, people } from './access.ts'
import { Id, IdParams, Nullable, OneOf, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

export const accessRequestStatuses = ['pending', 'granted', 'declined'] as const

export const AccessRequest = Strict(
	{
		id: Id,
		agent: Strict({ uuid: Id, name: Type.String() }, { title: 'RequestingAgent' }),
		server: Strict({ id: Id, name: Type.String(), slug: Type.String() }, { title: 'RequestedServer' }),
		tool: Nullable(Type.String({ description: 'Null: all tools of the server' })),
		reason: Type.String(),
		status: OneOf(accessRequestStatuses),
		requested_by: Strict({ id: Id, name: Type.String() }, { title: 'Requester' }),
		requested_at: Time,
		decided_by: Nullable(Type.String()),
		decided_at: Nullable(Time),
	},
	{ title: 'AccessRequest' },
)

const byAdmins = byScope('access:write')

export const accessRequestOperations = {
	list: operation({
		id: 'access-requests.list',
		method: 'GET',
		path: '/v1/access-requests',
		summary: 'List requests for access that people made for agents',
		access: byScope('access:read'),
		query: Strict({
			...pageQuery,
			status: Type.Optional(OneOf(accessRequestStatuses)),
			agent_uuid: Type.Optional(Type.String({ maxLength: 64 })),
			sort: OneOf(['requested_at'], { default: 'requested_at' }),
		}),
		status: 200,
		response: Strict(
			{ access_requests: Type.Array(AccessRequest), pagination: Pagination },
			{ title: 'AccessRequestList' },
		),
	}),
	create: operation({
		id: 'access-requests.create',
		method: 'POST',
		path: '/v1/access-requests',
		summary: 'Request access to a tool or a server for an agent',
		description: 'The same request answers 409 `conflict` while the first one is pending.',
		access: people('access:request'),
		body: Strict({
			agent_uuid: Id,
			server: Type.String({ minLength: 1, maxLength: 100, description: 'Id or slug' }),
			tool: Type.Optional(
				Type.String({ minLength: 1, maxLength: 256, description: "The server's own name of the tool" }),
			),
			reason: Type.Optional(Type.String({ maxLength: 500 })),
		}),
		status: 201,
		response: AccessRequest,
		problems: ['not_found', 'conflict'],
	}),
	get: operation({
		id: 'access-requests.get',
		method: 'GET',
		path: '/v1/access-requests/{id}',
		summary: 'Get an access request',
		access: byScope('access:read'),
		params: IdParams,
		status: 200,
		response: AccessRequest,
	}),
	grant: operation({
		id: 'access-requests.grant',
		method: 'POST',
		path: '/v1/access-requests/{id}/grant',
		summary: 'Grant a request: a new grant, or one more tool in the direct grant',
		access: byAdmins,
		params: IdParams,
		status: 200,
		response: AccessRequest,
		problems: ['conflict'],
	}),
	decline: operation({
		id: 'access-requests.decline',
		method: 'POST',
		path: '/v1/access-requests/{id}/decline',
		summary: 'Decline an access request',
		access: byAdmins,
		params: IdParams,
		status: 200,
		response: AccessRequest,
		problems: ['conflict'],
	}),
}
