import type { IncomingMessage } from 'node:http'
import { federationOperations, type OutputOf, type SignInErrorCode } from '@signalbox/contract'
import type { SignInProvider } from '../../../config/sign-in-providers.ts'
import { lockNumbering } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import { type DatabaseTransaction, lockGroups } from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import type { UserPrincipal } from '../../../platform/http/principal.ts'
import { type RequestContext, userIn } from '../../../platform/http/route.ts'
import { actorOf } from '../../audit/audit.ts'
import { findUser, type UserRow } from '../accounts/account-repository.ts'
import { type Caller, callerOf, type IdentityContext } from '../identity-context.ts'
import type { OpenSession } from '../sessions/open-session.ts'
import { findSession } from '../sessions/session-repository.ts'
import { applyGroups, resolveGroups } from './apply-groups.ts'
import {
	type FederationContext,
	ProviderUnreachable,
	providerOf,
	SignInError,
	toFederationContext,
} from './federation-context.ts'
import { deleteIdentity, findIdentity, type IdentityRow, listIdentities } from './federation-repository.ts'
import { beginGithub, beginOidc, finishGithub, finishOidc, type Profile } from './provider-sign-in.ts'
import { addIdentity, closeFlow, openFlow, returnPath, signIn } from './sign-in.ts'

export function federationRoutes(identity: IdentityContext): BoundOperation[] {
	const context = toFederationContext(identity)
	return bind(federationOperations, {
		start: (input) =>
			redirecting(context, input, async () => {
				const provider = providerOf(context, input.params.provider)
				const { url, cookie } = await begin(context, input.request, provider, input.query.return_to, null)
				input.setHeader('set-cookie', cookie)
				return url.href
			}),
		callback: (input) =>
			redirecting(context, input, async () => {
				const provider = providerOf(context, input.params.provider)
				const caller = callerOf(input.request, input.context)
				const ended = await finish(
					context,
					input.request,
					provider,
					input.query.state,
					input.context.search,
					caller,
				)
				if (ended.session) input.setHeader('set-cookie', sessionCookies(context, ended.session))
				return dashboardPath(context, ended.returnTo)
			}),
		link: async ({ params, body, request, context: requestContext, setHeader }) => {
			const { sessionId } = userIn(requestContext)
			try {
				const provider = providerOf(context, params.provider)
				const { url, cookie } = await begin(context, request, provider, body?.return_to, sessionId)
				setHeader('set-cookie', cookie)
				return { url: url.href }
			} catch (error) {
				throw toProblem(context, params.provider, error)
			}
		},
		identities: ({ context: requestContext }) => showIdentities(context, userIn(requestContext).userId),
		unlink: async ({ params, context: requestContext }) => {
			await unlinkIdentity(context, userIn(requestContext), params.id, requestContext.requestId)
			return undefined
		},
	})
}

async function begin(
	context: FederationContext,
	request: IncomingMessage,
	provider: SignInProvider,
	wanted: string | undefined,
	linkSessionId: string | null,
): Promise<{ url: URL; cookie: string }> {
	const redirectUri = `${addressOf(context, request)}/auth/oauth/${provider.id}/callback`
	const flow = { provider, returnTo: returnPath(wanted), redirectUri, linkSessionId }
	const { secrets, cookie } = await openFlow(context, request, flow)
	const start = provider.kind === 'github' ? beginGithub : beginOidc
	return { url: await start(provider, context.fetch, secrets), cookie }
}

async function finish(
	context: FederationContext,
	request: IncomingMessage,
	provider: SignInProvider,
	state: string | undefined,
	search: string,
	caller: Caller,
): Promise<{ session: OpenSession | null; returnTo: string }> {
	const { row, secrets } = await closeFlow(context, request, provider, state)
	const end = provider.kind === 'github' ? finishGithub : finishOidc
	const profile = await end(provider, context.fetch, secrets, search)
	const returnTo = row.return_to
	if (row.link_session_id === null)
		return { session: await signIn(context, provider, profile, caller), returnTo }
	await linkIdentity(context, provider, profile, row.link_session_id, caller)
	return { session: null, returnTo }
}

interface Redirecting {
	params: { provider: string }
	context: RequestContext
	setHeader(name: string, value: string): void
}

/** Redirects the browser; after a failure to the sign-in page, with the error code. */
async function redirecting(
	context: FederationContext,
	{ params, setHeader, context: requestContext }: Redirecting,
	step: () => Promise<string>,
): Promise<undefined> {
	const location = await step().catch((error: unknown) =>
		dashboardPath(
			context,
			`/ui/sign-in?error=${codeOf(context, params.provider, error, requestContext.requestId)}`,
		),
	)
	setHeader('location', location)
	// The callback URL contains the code, so it must not be sent as a referrer.
	setHeader('referrer-policy', 'no-referrer')
	return undefined
}

function codeOf(
	{ log }: FederationContext,
	provider: string,
	error: unknown,
	requestId: string | null,
): SignInErrorCode {
	const named = toSignInError(error)
	log.warn(
		{ provider, code: named.code, err: named.cause, request_id: requestId },
		'sign-in by a provider failed',
	)
	return named.code
}

function toProblem(context: FederationContext, provider: string, error: unknown): Problem {
	const code = codeOf(context, provider, error, null)
	if (code === 'provider_unknown') return new Problem('not_found', 'There is no such provider.')
	return new Problem('upstream_unreachable', `${provider}: ${toSignInError(error).message}.`, {
		cause: error,
	})
}

/**
 * The URL at which people reach us: the configured one, otherwise that of the request, which the ingress has checked to be this
 * machine.
 */
function addressOf({ config }: FederationContext, request: IncomingMessage): string {
	return config.PUBLIC_URL?.replace(/\/$/, '') ?? `http://${request.headers.host}`
}

function dashboardPath({ config }: FederationContext, path: string): string {
	const prefix = config.PUBLIC_URL ? new URL(config.PUBLIC_URL).pathname.replace(/\/$/, '') : ''
	return `${prefix}${path}`
}

function sessionCookies({ accessTokens, cookies, clock }: FederationContext, session: OpenSession): string[] {
	const { token } = accessTokens.issue(session)
	const maxAgeS = Math.floor((session.expiresAtMs - clock.nowMs()) / 1000)
	return cookies.set(token, { token: session.refreshToken, maxAgeS })
}

/** Maps anything that a step at a provider threw to a code of the catalogue. The provider's text only goes to the log. */
function toSignInError(error: unknown): SignInError {
	const causes = [...causesOf(error)]
	const named = causes.find((cause) => cause instanceof SignInError)
	if (named) return named as SignInError
	if (causes.some((cause) => cause instanceof ProviderUnreachable))
		return new SignInError('provider_unreachable', error)
	if (causes.some((cause) => cause instanceof Problem)) return new SignInError('failed', error)
	return new SignInError(isRefusal(error) ? 'provider_refused' : 'answer_invalid', reasonOf(error))
}

type OAuthError = { error?: unknown; error_description?: unknown }

/** For the log: what the provider answered, which the library keeps in fields of its errors, or in the challenges of a 401. */
function reasonOf(thrown: unknown): unknown {
	if (!(thrown instanceof Error)) return thrown
	const { cause } = thrown
	const inChallenge: OAuthError | undefined = Array.isArray(cause) ? cause[0]?.parameters : undefined
	const { error, error_description: text = 'without a reason' } = inChallenge ?? (thrown as OAuthError)
	if (typeof error === 'string') return new Error(`the provider answered ${error}: ${text}`)
	if (!(cause instanceof Response)) return thrown
	const type = cause.headers.get('content-type')
	return new Error(`the provider answered ${cause.status} with ${type}: ${thrown.message}`)
}

/** The provider redirected the browser back with `error` instead of a code. */
function isRefusal(error: unknown): boolean {
	return (error as { code?: unknown } | null)?.code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR'
}

function* causesOf(error: unknown): Generator<unknown> {
	for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1)
		yield cause
}

/** Links a profile to the person whose session began the flow. Throws `session_ended`, `identity_taken`. */
async function linkIdentity(
	context: FederationContext,
	provider: SignInProvider,
	profile: Profile,
	sessionId: string,
	caller: Caller,
): Promise<void> {
	await context.mutate(async (tx) => {
		await lockGroups(tx)
		await lockNumbering(tx)
		const { user, workspaceId } = await personOf(context, tx, sessionId)
		const known = await findIdentity(tx, profile.issuer, profile.subject)
		if (known && known.user_id !== user.id) throw new SignInError('identity_taken')
		if (!known) {
			const id = await addIdentity(context, tx, profile, user.id, false)
			await context.audit.record(tx, {
				workspaceId,
				actor: { kind: 'user', id: user.id, name: user.email },
				action: 'auth.link_identity',
				target: { kind: 'identity', id, name: profile.issuer },
				detail: { provider: provider.id, address: caller.address },
				requestId: caller.requestId,
			})
		}
		const { issuer, groups } = profile
		const person = { id: user.id, email: user.email, issuer, groups, requestId: caller.requestId }
		const places = await resolveGroups(context, tx, provider, person)
		await applyGroups(context, tx, person, places)
	})
}

/** The session that began the flow may have ended meanwhile. */
async function personOf(
	{ clock }: FederationContext,
	tx: DatabaseTransaction,
	sessionId: string,
): Promise<{ user: UserRow; workspaceId: string }> {
	const session = await findSession(tx, sessionId)
	const isLive = session && session.revoked_at === null && session.expires_at > clock.nowMs()
	const user = isLive ? await findUser(tx, session.user_id) : undefined
	if (!isLive || !user) throw new SignInError('session_ended')
	return { user, workspaceId: session.workspace_id }
}

type Shown = OutputOf<(typeof federationOperations)['identities']>

async function showIdentities(context: FederationContext, userId: string): Promise<Shown> {
	const rows = await listIdentities(context.store.db, userId)
	return {
		identities: rows.map((row) => ({
			id: row.id,
			provider: providerOfIdentity(context, row)?.id ?? null,
			issuer: row.issuer,
			email: row.email,
			created_at: toIso(row.created_at),
			last_used_at: toIso(row.last_used_at),
		})),
	}
}

/**
 * Unlinks an identity. Memberships from the issuer's groups end too, unless another identity of the same issuer remains. Throws
 * `not_found`, `last_way_in`.
 */
async function unlinkIdentity(
	context: FederationContext,
	principal: UserPrincipal,
	id: string,
	requestId: string,
): Promise<void> {
	await context.mutate(async (tx) => {
		await lockGroups(tx)
		await lockNumbering(tx)
		const rows = await listIdentities(tx, principal.userId)
		const row = rows.find((candidate) => candidate.id === id)
		if (!row) throw notFound('identity')
		const rest = rows.filter((other) => other.id !== id)
		await refuseLastWayIn(context, tx, principal.userId, rest)
		await deleteIdentity(tx, principal.userId, id)
		const target = { kind: 'identity', id, name: row.issuer }
		const entry = { workspaceId: principal.workspaceId, actor: actorOf(principal), target, requestId }
		await context.audit.record(tx, { ...entry, action: 'auth.unlink_identity' })
		if (rest.some(({ issuer }) => issuer === row.issuer)) return
		const person = { id: principal.userId, email: principal.email, issuer: row.issuer, requestId }
		await applyGroups(context, tx, person, new Map())
	})
}

/** An identity counts if its provider is configured, a password if passwords are allowed. */
async function refuseLastWayIn(
	context: FederationContext,
	tx: DatabaseTransaction,
	userId: string,
	rest: IdentityRow[],
): Promise<void> {
	const user = await findUser(tx, userId)
	if (context.config.PASSWORD_LOGIN === 'on' && user?.password_hash) return
	if (!rest.some((row) => providerOfIdentity(context, row))) throw new Problem('last_way_in')
}

function providerOfIdentity(
	{ config }: FederationContext,
	{ issuer }: IdentityRow,
): SignInProvider | undefined {
	const same = (provider: SignInProvider) => provider.issuer.replace(/\/$/, '') === issuer.replace(/\/$/, '')
	return config.signInProviders.find(same)
}
