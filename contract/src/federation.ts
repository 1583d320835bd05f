import { Type } from 'typebox'
import { people } from './access.ts'
import { Id, IdParams, Nullable, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const ProviderParams = Strict({ provider: Type.String({ maxLength: 64, description: 'Id of the provider' }) })
const ReturnTo = Type.String({
	maxLength: 2048,
	description: 'Where to go afterwards, a path below `/ui/`; anything else leads to `/ui/`',
})
const answerField = Type.Optional(Type.String({ maxLength: 8192 }))

export const SignInProvider = Strict({ id: Type.String(), label: Type.String() }, { title: 'SignInProvider' })

const LinkedIdentity = Strict(
	{
		id: Id,
		provider: Nullable(Type.String({ description: 'Null when the operator has removed it' })),
		issuer: Type.String(),
		email: Nullable(Type.String({ description: 'As the provider named it when the identity was linked' })),
		created_at: Time,
		last_used_at: Time,
	},
	{ title: 'LinkedIdentity' },
)

export const federationOperations = {
	start: operation({
		id: 'auth.oauth.start',
		method: 'GET',
		path: '/auth/oauth/{provider}/start',
		summary: 'Start signing in with a provider',
		description:
			'For browsers: redirects to the provider and sets a cookie that binds the sign-in to this browser for 10 minutes. A failure redirects to `/ui/sign-in?error=<code>`.',
		access: { public: true },
		params: ProviderParams,
		query: Strict({ return_to: Type.Optional(ReturnTo) }),
		status: 302,
		response: null,
	}),
	callback: operation({
		id: 'auth.oauth.callback',
		method: 'GET',
		path: '/auth/oauth/{provider}/callback',
		summary: 'Receive the browser back from the provider',
		description:
			'Redirects into the dashboard with its session cookies, or to `/ui/sign-in?error=<code>`. Providers add query parameters of their own, so unknown ones are accepted here.',
		access: { public: true },
		params: ProviderParams,
		query: Type.Object(
			{ code: answerField, state: answerField, iss: answerField, error: answerField },
			{ additionalProperties: true },
		),
		status: 302,
		response: null,
	}),
	link: operation({
		id: 'auth.oauth.link',
		method: 'POST',
		path: '/auth/oauth/{provider}/link',
		summary: 'Start linking a provider account to the signed-in person',
		description:
			'Answers with the address to open in the same browser and sets a cookie that binds the two. The provider sends the browser back.',
		access: people(),
		params: ProviderParams,
		body: Type.Optional(Strict({ return_to: Type.Optional(ReturnTo) })),
		status: 200,
		response: Strict({ url: Type.String() }, { title: 'LinkStart' }),
		problems: ['upstream_unreachable'],
	}),
	identities: operation({
		id: 'auth.identities',
		method: 'GET',
		path: '/auth/identities',
		summary: 'List the provider accounts that the signed-in person can sign in with',
		access: people(),
		status: 200,
		response: Strict({ identities: Type.Array(LinkedIdentity) }),
	}),
	unlink: operation({
		id: 'auth.identities.unlink',
		method: 'DELETE',
		path: '/auth/identities/{id}',
		summary: 'Unlink a provider account; memberships given by its groups end',
		access: people(),
		params: IdParams,
		status: 204,
		response: null,
		problems: ['last_way_in'],
	}),
}
