import { Type } from 'typebox'
import { people } from './access.ts'
import { Id, IdParams, Nullable, OneOf, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const SealedRequest = Type.String({
	minLength: 1,
	maxLength: 16_384,
	description:
		'The request of the client, sealed, as `/oauth/authorize` put it into the fragment of the address',
})

const Client = Strict(
	{
		id: Type.String({ description: 'The client id: a URL, or what registration issued' }),
		name: Type.String({ description: 'As the client says; nobody has checked it' }),
		uri: Nullable(Type.String()),
		verified_host: Nullable(
			Type.String({
				description: 'The host that publishes the description of the client; null when none does',
			}),
		),
	},
	{ title: 'OauthClient' },
)

const Consent = Strict(
	{
		client: Client,
		redirect_host: Type.String({ description: 'Where the answer goes: a host, or the name of a scheme' }),
		is_local: Type.Boolean({
			description: 'Whether the answer goes to a program on the person’s own computer',
		}),
		scopes: Type.Array(Strict({ scope: Type.String(), description: Type.String() })),
		resource: Type.String(),
		server: Nullable(Strict({ id: Id, name: Type.String() })),
		workspace: Strict({ id: Id }),
		own_agent: Nullable(Strict({ uuid: Id, name: Type.String() })),
		may_choose_agent: Type.Boolean({
			description: 'Whether the person may name another agent than their own',
		}),
		expires_at: Time,
	},
	{ title: 'Consent' },
)

export const Authorization = Strict(
	{
		id: Id,
		client: Strict({ id: Type.String(), name: Type.String() }),
		user: Strict({ id: Id, email: Type.String() }),
		agent: Strict({ uuid: Id, name: Type.String() }),
		resource: Type.String(),
		scopes: Type.Array(Type.String()),
		status: OneOf(['active', 'revoked', 'expired']),
		created_at: Time,
		last_used_at: Nullable(Time),
		expires_at: Time,
	},
	{ title: 'Authorization' },
)

export const authorizationOperations = {
	consent: operation({
		id: 'authorizations.consent',
		method: 'POST',
		path: '/v1/authorizations/consent',
		summary: 'What a client requests, for the consent page',
		description: 'Takes the cookie that `/oauth/authorize` gave this browser; without it the answer is 403.',
		access: people('connections:write'),
		body: Strict({ request: SealedRequest }),
		status: 200,
		response: Consent,
		problems: ['authorization_invalid'],
	}),
	decide: operation({
		id: 'authorizations.decide',
		method: 'POST',
		path: '/v1/authorizations/decide',
		summary: 'Approve or deny the request of a client',
		description:
			"Without `agent_uuid` the client acts as the person's own agent, which is created at the first time. Another agent needs the role admin. The answer says where to send the browser.",
		access: people('connections:write'),
		body: Strict({
			request: SealedRequest,
			decision: OneOf(['approve', 'deny']),
			agent_uuid: Type.Optional(Id),
		}),
		status: 200,
		response: Strict({ redirect_url: Type.String() }, { title: 'ConsentDecision' }),
		problems: ['authorization_invalid'],
	}),
	list: operation({
		id: 'authorizations.list',
		method: 'GET',
		path: '/v1/authorizations',
		summary: 'Clients connected by OAuth: your own, or for admins those of the workspace',
		access: people('connections:write'),
		query: Strict({
			...pageQuery,
			status: Type.Optional(OneOf(['active', 'revoked', 'expired'])),
			agent_uuid: Type.Optional(Type.String({ maxLength: 64 })),
			sort: OneOf(['created_at', 'expires_at'], { default: 'created_at' }),
		}),
		status: 200,
		response: Strict(
			{ authorizations: Type.Array(Authorization), pagination: Pagination },
			{ title: 'AuthorizationList' },
		),
	}),
	revoke: operation({
		id: 'authorizations.revoke',
		method: 'DELETE',
		path: '/v1/authorizations/{id}',
		summary: 'Disconnect a client; its tokens end at once, running streams included',
		access: people('connections:write'),
		params: IdParams,
		status: 204,
		response: null,
	}),
}
