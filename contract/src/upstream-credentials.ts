import { Type } from 'typebox'
import { byScope, people } from './access.ts'
import { Id, IdParams, Nullable, OneOf, optional, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

export const upstreamAuthModes = ['none', 'authorization_code', 'client_credentials'] as const
export const upstreamOwners = ['workspace', 'agent', 'user'] as const
export type UpstreamAuthMode = (typeof upstreamAuthModes)[number]
export type UpstreamOwner = (typeof upstreamOwners)[number]

const shown = {
	has_client_secret: Type.Boolean(),
	redirect_uri: Type.String({
		description: 'Register it by hand at the authorization server where that is required',
	}),
}
const settings = {
	mode: OneOf(upstreamAuthModes, { description: '`none`: the stored headers of the server, if any' }),
	owner: OneOf(upstreamOwners, {
		description: 'Whose tokens are sent: one for the workspace, one for each agent, or one for each person',
	}),
	issuer: Nullable(
		Type.String({
			maxLength: 2048,
			description: 'The authorization server; null: the one that the MCP server names',
		}),
	),
	client_id: Nullable(
		Type.String({
			maxLength: 2048,
			description: 'From a manual registration; null: Signalbox registers itself',
		}),
	),
	scope: Nullable(Type.String({ maxLength: 2048, description: 'Null: what the MCP server requests' })),
}

const UpstreamAuth = Strict({ ...settings, ...shown }, { title: 'UpstreamAuth' })

const Connection = Strict(
	{
		id: Id,
		owner: OneOf(upstreamOwners),
		owner_id: Nullable(Type.String({ description: 'Id of the agent or person; null for the workspace' })),
		issuer: Type.String(),
		scope: Nullable(Type.String()),
		status: OneOf(['active', 'needs_consent']),
		expires_at: Nullable(Time),
		created_at: Time,
		updated_at: Time,
	},
	{ title: 'UpstreamConnection' },
)

export const upstreamCredentialOperations = {
	get: operation({
		id: 'upstream-credentials.get',
		method: 'GET',
		path: '/v1/mcp/servers/{id}/oauth',
		summary: 'Get how the platform obtains OAuth credentials for a server',
		access: byScope('servers:read'),
		params: IdParams,
		status: 200,
		response: UpstreamAuth,
	}),
	replace: operation({
		id: 'upstream-credentials.replace',
		method: 'PUT',
		path: '/v1/mcp/servers/{id}/oauth',
		summary: 'Set how the platform obtains OAuth credentials for a server; its tokens are deleted',
		description:
			'Unchanged read-only fields are accepted. A `client_secret` is sealed and never returned; without one the stored secret stays while `client_id` and `issuer` do. `client_credentials` needs `client_id` and `client_secret`, and the owner `workspace`.',
		access: byScope('servers:write'),
		params: IdParams,
		body: Strict({
			mode: settings.mode,
			owner: Type.Optional(settings.owner),
			issuer: Type.Optional(settings.issuer),
			client_id: Type.Optional(settings.client_id),
			client_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
			scope: Type.Optional(settings.scope),
			...optional(shown),
		}),
		status: 200,
		response: UpstreamAuth,
	}),
	authorize: operation({
		id: 'upstream-credentials.authorize',
		method: 'POST',
		path: '/v1/mcp/servers/{id}/oauth/authorize',
		summary: 'Start connecting a server: returns the address for the browser of the person who consents',
		description:
			'A cookie binds the flow to this browser for ten minutes. People connect for themselves; connecting for an agent or the workspace needs the role admin.',
		access: people('connections:write'),
		params: IdParams,
		body: Type.Optional(
			Strict({
				agent_uuid: Type.Optional(Id),
				scope: Type.Optional(
					Type.String({ maxLength: 2048, description: 'Additional scopes, after a step-up' }),
				),
			}),
		),
		status: 200,
		response: Strict({ url: Type.String() }, { title: 'UpstreamConsent' }),
		problems: ['conflict', 'upstream_unreachable'],
	}),
	connections: operation({
		id: 'upstream-credentials.connections',
		method: 'GET',
		path: '/v1/mcp/servers/{id}/oauth/connections',
		summary: 'List who has a token for a server; only admins see those of others',
		access: people('connections:write'),
		params: IdParams,
		status: 200,
		response: Strict({ connections: Type.Array(Connection) }, { title: 'UpstreamConnectionList' }),
	}),
	disconnect: operation({
		id: 'upstream-credentials.disconnect',
		method: 'DELETE',
		path: '/v1/mcp/servers/{id}/oauth/connections/{connectionId}',
		summary: 'Delete tokens and, where supported, revoke them at the authorization server',
		access: people('connections:write'),
		params: Strict({ id: Id, connectionId: Id }),
		status: 204,
		response: null,
	}),
}
