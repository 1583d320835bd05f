import { Type } from 'typebox'
import { people, roles } from './access.ts'
import { Id, IdParams, Nullable, OneOf, Strict, Time } from './common.ts'
import { SignInProvider } from './federation.ts'
import { operation } from './operation.ts'

export const Email = Type.String({
	minLength: 3,
	maxLength: 254,
	pattern: '^[^@\\s]+@[^@\\s]+$',
	description: 'E-mail address',
})
export const Password = Type.String({ minLength: 8, maxLength: 1024 })

export const User = Strict(
	{
		id: Id,
		email: Type.String(),
		name: Type.String(),
		verified: Type.Boolean(),
		time_zone: Nullable(
			Type.String({
				description: 'In which the dashboard shows times, an IANA name; null: that of the browser',
				examples: ['Europe/Berlin'],
			}),
		),
	},
	{ title: 'User' },
)
export const WorkspaceSlug = Type.String({
	description: 'Short name in the addresses of the dashboard, `/ui/w/{slug}/…`; a rename keeps it',
	examples: ['acme'],
})

export const WorkspaceSummary = Strict(
	{ id: Id, name: Type.String(), slug: WorkspaceSlug, role: OneOf(roles) },
	{ title: 'WorkspaceSummary' },
)

/**
 * A new session. The dashboard (header `x-signalbox-dashboard: 1`) gets both secrets as HttpOnly cookies, and `token` and
 * `refresh_token` are absent from the body; everyone else gets them in the body and no cookie.
 */
export const Session = Strict(
	{
		token: Type.Optional(
			Type.String({
				description: 'Access token for one workspace (JWT, 1 h); absent when it was set as a cookie',
			}),
		),
		token_type: Type.Literal('Bearer'),
		expires_at: Time,
		refresh_token: Type.Optional(
			Type.String({ description: 'Opaque, single use, 30 d; absent when it was set as a cookie' }),
		),
		user: User,
		workspaces: Type.Array(WorkspaceSummary),
	},
	{ title: 'Session' },
)

const Jwk = Strict(
	{
		kty: Type.String(),
		crv: Type.String(),
		x: Type.String(),
		y: Type.String(),
		kid: Type.String(),
		alg: Type.String(),
		use: Type.String(),
	},
	{ title: 'Jwk' },
)

export const authOperations = {
	methods: operation({
		id: 'auth.methods',
		method: 'GET',
		path: '/auth/methods',
		summary: 'How people can sign in, and whether the instance still needs its first operator',
		access: { public: true },
		status: 200,
		response: Strict(
			{
				password: Type.Boolean({ description: 'Whether people may sign in by password' }),
				providers: Type.Array(SignInProvider),
				signup: OneOf(['open', 'invite', 'closed']),
				setup_required: Type.Boolean(),
			},
			{ title: 'SignInMethods' },
		),
	}),
	setup: operation({
		id: 'auth.setup',
		method: 'POST',
		path: '/auth/setup',
		summary: 'Use the one-time setup link: creates the operator and the workspace `default`',
		access: { public: true },
		body: Strict({
			setup_token: Type.String({ maxLength: 200 }),
			email: Email,
			password: Password,
			name: Type.Optional(Type.String({ maxLength: 100 })),
		}),
		status: 201,
		response: Session,
		problems: ['setup_link_invalid', 'password_login_off', 'weak_password'],
	}),
	register: operation({
		id: 'auth.register',
		method: 'POST',
		path: '/auth/register',
		summary: 'Register with e-mail and password; creates a workspace of your own',
		access: { public: true },
		body: Strict({ email: Email, password: Password, name: Type.Optional(Type.String({ maxLength: 100 })) }),
		status: 201,
		response: Session,
		problems: ['setup_required', 'signup_closed', 'password_login_off', 'weak_password'],
	}),
	login: operation({
		id: 'auth.login',
		method: 'POST',
		path: '/auth/login',
		summary: 'Log in with e-mail and password',
		description:
			'With the header `x-signalbox-dashboard: 1` both tokens are set as HttpOnly cookies and are absent from the body; requests that such a cookie authenticates and that change something must come from our own pages.',
		access: { public: true },
		body: Strict({
			email: Type.String({ maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+$' }),
			password: Type.String({ minLength: 1, maxLength: 1024 }),
		}),
		status: 200,
		response: Session,
		problems: ['wrong_credentials', 'password_login_off'],
	}),
	refresh: operation({
		id: 'auth.refresh',
		method: 'POST',
		path: '/auth/refresh',
		summary: 'Exchange a refresh token for a new pair; reuse of an old one revokes the whole session',
		description: 'The dashboard sends no body: its refresh token is in a cookie.',
		access: { public: true },
		body: Type.Optional(Strict({ refresh_token: Type.Optional(Type.String({ maxLength: 200 })) })),
		status: 200,
		response: Session,
		problems: ['session_ended', 'forbidden'],
	}),
	switchWorkspace: operation({
		id: 'auth.switch',
		method: 'POST',
		path: '/auth/switch',
		summary: 'Get an access token for another workspace of the same person',
		access: people(),
		body: Strict({ workspace_id: Id }),
		status: 200,
		response: Strict(
			{ token: Type.Optional(Type.String()), token_type: Type.Literal('Bearer'), expires_at: Time },
			{ title: 'AccessToken' },
		),
	}),
	logout: operation({
		id: 'auth.logout',
		method: 'POST',
		path: '/auth/logout',
		summary: 'Revoke the current session',
		access: people(),
		status: 204,
		response: null,
	}),
	me: operation({
		id: 'auth.me',
		method: 'GET',
		path: '/auth/me',
		summary: 'The signed-in person and the current workspace',
		access: people(),
		status: 200,
		response: Strict(
			{
				user: User,
				operator: Type.Boolean(),
				workspace: WorkspaceSummary,
				workspaces: Type.Array(WorkspaceSummary),
			},
			{ title: 'Me' },
		),
	}),
	sessions: operation({
		id: 'auth.sessions',
		method: 'GET',
		path: '/auth/sessions',
		summary: 'The live sessions of the signed-in person',
		access: people(),
		status: 200,
		response: Strict({
			sessions: Type.Array(
				Strict(
					{
						id: Id,
						current: Type.Boolean(),
						user_agent: Type.String(),
						address: Type.String(),
						created_at: Time,
						last_used_at: Time,
						expires_at: Nullable(Time),
					},
					{ title: 'LiveSession' },
				),
			),
		}),
	}),
	endSessions: operation({
		id: 'auth.sessions.end',
		method: 'DELETE',
		path: '/auth/sessions',
		summary: 'Sign out everywhere',
		access: people(),
		query: Strict({
			keep_current: Type.Boolean({ default: false, description: 'Whether the current session stays' }),
		}),
		status: 204,
		response: null,
	}),
	revokeSession: operation({
		id: 'auth.sessions.revoke',
		method: 'DELETE',
		path: '/auth/sessions/{id}',
		summary: 'Revoke one of your own sessions',
		access: people(),
		params: IdParams,
		status: 204,
		response: null,
	}),
	jwks: operation({
		id: 'auth.jwks',
		method: 'GET',
		path: '/.well-known/jwks.json',
		summary: 'The public keys that access tokens are signed with',
		access: { public: true },
		status: 200,
		response: Strict({ keys: Type.Array(Jwk) }, { title: 'Jwks' }),
	}),
}
