import { Type } from 'typebox'
import { people } from './access.ts'
import { Id, IdParams, Nullable, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

/**
 * Why a sign-in by another account failed: the values of `error` at `/ui/sign-in`. What a provider wrote never gets there.
 * `docs/sign-in.md` shows this table, and a test holds the two equal.
 */
export const signInErrors = {
	provider_unknown: {
		title: 'There is no such way to sign in',
		remedy: 'Choose one that the page shows; the operator may have removed this one.',
	},
	flow_invalid: {
		title: 'This sign-in has expired or was begun in another browser',
		remedy: 'Start again; a sign-in has to end within 10 minutes in the browser where it began.',
	},
	provider_unreachable: {
		title: 'The provider does not answer',
		remedy: 'Try again in a moment; nothing was changed.',
	},
	provider_unsuitable: {
		title: 'The provider cannot be used safely',
		remedy: 'The operator finds the reason in the log; a provider without PKCE by S256 is refused.',
	},
	provider_refused: {
		title: 'The sign-in was cancelled, or the provider refused it',
		remedy: 'Start again and agree to it, or ask who runs the provider.',
	},
	answer_invalid: {
		title: "The provider's answer is not valid",
		remedy: 'Start again; if it stays, the operator finds the reason in the log.',
	},
	email_missing: {
		title: 'The provider named no e-mail address',
		remedy: 'The operator adds the scope `email`; on GitHub, set a verified primary address.',
	},
	email_unverified: {
		title: 'The provider does not say that the e-mail address is yours',
		remedy: 'Confirm the address at the provider, then sign in again.',
	},
	account_exists: {
		title: 'There is an account with this e-mail address',
		remedy: 'Sign in to it the usual way, then link this provider in your account.',
	},
	identity_taken: {
		title: 'This account of the provider belongs to somebody else here',
		remedy: 'Sign in as that person and unlink it first.',
	},
	signup_closed: {
		title: 'You have no account here',
		remedy: 'Ask an admin of a workspace for an invitation to the address that the provider knows.',
	},
	no_workspace: {
		title: 'You belong to no workspace',
		remedy: 'Ask an admin of a workspace, or whoever gives out groups at the provider.',
	},
	setup_required: {
		title: 'This instance has no operator yet',
		remedy: 'Open the one-time setup link that the program prints at its start.',
	},
	session_ended: {
		title: 'The session that wanted the link has ended',
		remedy: 'Sign in again, then link the provider once more.',
	},
	failed: { title: 'The sign-in failed', remedy: 'Start again; the log has the cause.' },
} as const

export type SignInErrorCode = keyof typeof signInErrors

const ProviderParams = Strict({ provider: Type.String({ maxLength: 64, description: 'Id of the provider' }) })
const ReturnTo = Type.String({
	maxLength: 2048,
	description: 'Where to go afterwards: a path below `/ui/`; anything else leads to `/ui/`',
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
		summary: 'Begin to sign in at a provider',
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
		summary: 'Where the provider sends the browser back',
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
		summary: 'Begin to link an account of a provider to the signed-in person',
		description:
			'Answers with the address to open in the same browser, which gets a cookie that binds the two. The provider leads it back.',
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
		summary: 'The accounts at providers by which the signed-in person can sign in',
		access: people(),
		status: 200,
		response: Strict({ identities: Type.Array(LinkedIdentity) }),
	}),
	unlink: operation({
		id: 'auth.identities.unlink',
		method: 'DELETE',
		path: '/auth/identities/{id}',
		summary: 'Unlink an account at a provider; memberships that its groups gave end',
		access: people(),
		params: IdParams,
		status: 204,
		response: null,
		problems: ['last_way_in'],
	}),
}
