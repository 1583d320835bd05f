import { authOperations, tokenPrefixes } from '@signalbox/contract'
import { lockNumbering } from '../../platform/changes.ts'
import { toIso } from '../../platform/clock.ts'
import { hashToken, isToken } from '../../platform/crypto/token.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import type { UserPrincipal } from '../../platform/http/principal.ts'
import { userIn } from '../../platform/http/route.ts'
import { actorOf, systemActor } from '../audit/audit.ts'
import { hasOperator } from './accounts/account-repository.ts'
import { logIn } from './accounts/login.ts'
import { insertAccount, normaliseEmail } from './accounts/new-account.ts'
import { refuseWeakPassword, requirePasswords } from './accounts/password-rules.ts'
import { type Registration, refuseDuplicate, register } from './accounts/register.ts'
import { type Caller, callerOf, type IdentityContext } from './identity-context.ts'
import { refuseForeignPage } from './sessions/cookies.ts'
import { endOwnSession, endOwnSessions, endSession } from './sessions/end-session.ts'
import {
	answerAccess,
	answerSession,
	type OpenSession,
	openSession,
	readMe,
	sessionIdOf,
	successorOf,
} from './sessions/open-session.ts'
import {
	findSession,
	idleLimitMs,
	listLiveSessions,
	rotateRefresh,
	type SessionRow,
	setSessionWorkspace,
} from './sessions/session-repository.ts'
import { consumeSetupLink, endSetupLinks, isUsableSetupLink } from './setup/setup-repository.ts'
import { findMember } from './workspaces/workspace-repository.ts'

/** How long the previous token is still accepted, for a client that lost the response. */
const graceMs = 10_000

/**
 * Exchanges a refresh token for its successor. If an already exchanged token is used again, somebody has copied it: the whole
 * session is revoked, whoever sent it.
 */
async function refreshSession(
	context: IdentityContext,
	token: string,
	requestId: string,
): Promise<OpenSession> {
	const session = await liveSession(context, sessionIdOf(token))
	const successor = successorOf(token, session.id, context.sealer)
	const open = { ...toOpen(session), refreshToken: successor }
	const hash = hashToken(token)
	const nowMs = context.clock.nowMs()
	if (await context.mutate((tx) => rotateRefresh(tx, session.id, hash, hashToken(successor), nowMs)))
		return open
	const current = await liveSession(context, session.id)
	// Beyond the grace period in either direction: the clock may have been set back since the exchange.
	const isRecent = Math.abs(nowMs - current.rotated_at) <= graceMs
	if (current.previous_refresh_hash === hash && isRecent) return open
	await revokeReused(context, current, requestId)
	throw new Problem(
		'session_ended',
		'This refresh token was used before, so the session was revoked. Log in again.',
		challenge,
	)
}

const challenge = { headers: { 'www-authenticate': 'Bearer realm="signalbox", error="invalid_token"' } }

function sessionEnded(): Problem {
	return new Problem('session_ended', undefined, challenge)
}

async function liveSession(
	{ store, clock, view }: IdentityContext,
	sessionId: string | null,
): Promise<SessionRow> {
	const session = sessionId === null ? undefined : await findSession(store.db, sessionId)
	if (!session || session.revoked_at !== null || hasExpired(session, clock.nowMs())) throw sessionEnded()
	if (!view.user(session.user_id)) throw sessionEnded()
	return session
}

function hasExpired({ expires_at, last_used_at }: SessionRow, nowMs: number): boolean {
	return expires_at <= nowMs || last_used_at + idleLimitMs <= nowMs
}

function toOpen(session: SessionRow): Omit<OpenSession, 'refreshToken'> {
	return {
		sessionId: session.id,
		userId: session.user_id,
		workspaceId: session.workspace_id,
		expiresAtMs: session.expires_at,
	}
}

async function revokeReused(context: IdentityContext, session: SessionRow, requestId: string): Promise<void> {
	context.log.warn(
		{ session: session.id, user: session.user_id },
		'a refresh token was used twice; its session was revoked',
	)
	const ending = {
		workspaceId: session.workspace_id,
		actor: systemActor('refresh token reuse'),
		action: 'auth.revoke_session',
		requestId,
	}
	await context.mutate((tx) => endSession(context, tx, session.user_id, session.id, ending))
}

type Handlers = Parameters<typeof bind<typeof authOperations>>[1]

export function authRoutes(context: IdentityContext): BoundOperation[] {
	return bind(authOperations, {
		...signInHandlers(context),
		...sessionHandlers(context),
		jwks: () => ({ keys: context.signingKeys.all.map(({ publicJwk }) => publicJwk) }),
	})
}

function signInHandlers(
	context: IdentityContext,
): Pick<Handlers, 'methods' | 'setup' | 'register' | 'login' | 'refresh'> {
	return {
		methods: async () => ({
			password: context.config.PASSWORD_LOGIN === 'on',
			signup: context.instance.value('signup'),
			providers: context.config.signInProviders.map(({ id, label }) => ({ id, label })),
			setup_required: !(await hasOperator(context.store.db)),
		}),
		setup: async ({ body, request, context: requestContext, setHeader }) => {
			const session = await setUp(context, body, callerOf(request, requestContext))
			return answerSession(context, session, request, setHeader)
		},
		register: async ({ body, request, context: requestContext, setHeader }) => {
			const session = await register(context, body, callerOf(request, requestContext))
			return answerSession(context, session, request, setHeader)
		},
		login: async ({ body, request, context: requestContext, setHeader }) => {
			const session = await logIn(context, body, callerOf(request, requestContext))
			return answerSession(context, session, request, setHeader)
		},
		refresh: async ({ body, request, context: requestContext, setHeader }) => {
			const token = body?.refresh_token ?? cookieToken(context, request)
			const session = await refreshSession(context, token, requestContext.requestId)
			return answerSession(context, session, request, setHeader)
		},
	}
}

/** The refresh cookie, only for the dashboard: another site cannot send its header. */
function cookieToken({ cookies }: IdentityContext, request: Parameters<typeof refuseForeignPage>[0]): string {
	const token = cookies.wanted(request) ? cookies.refresh(request) : null
	if (token === null) throw sessionEnded()
	refuseForeignPage(request)
	return token
}

function sessionHandlers(
	context: IdentityContext,
): Omit<Handlers, 'methods' | 'setup' | 'register' | 'login' | 'refresh' | 'jwks'> {
	const { store, clock } = context
	return {
		switchWorkspace: async ({ body, request, context: requestContext, setHeader }) => {
			const user = userIn(requestContext)
			await switchWorkspace(context, user, body.workspace_id, requestContext.requestId)
			return answerAccess(context, { ...user, workspaceId: body.workspace_id }, request, setHeader)
		},
		logout: async ({ request, context: requestContext, setHeader }) => {
			const user = userIn(requestContext)
			await endOwnSession(context, user, user.sessionId, 'auth.logout', requestContext.requestId)
			if (context.cookies.access(request) !== null) setHeader('set-cookie', context.cookies.clear())
			return undefined
		},
		me: ({ context: requestContext }) => readMe(store.db, userIn(requestContext)),
		sessions: async ({ context: requestContext }) => {
			const user = userIn(requestContext)
			const rows = await listLiveSessions(store.db, user.userId, clock.nowMs())
			return { sessions: rows.map((row) => presentSession(row, user.sessionId)) }
		},
		endSessions: async ({ query, request, context: requestContext, setHeader }) => {
			const keepCurrent = query.keep_current
			await endOwnSessions(context, userIn(requestContext), { keepCurrent }, requestContext.requestId)
			if (!keepCurrent && context.cookies.access(request) !== null)
				setHeader('set-cookie', context.cookies.clear())
			return undefined
		},
		revokeSession: async ({ params, context: requestContext }) => {
			await endOwnSession(
				context,
				userIn(requestContext),
				params.id,
				'auth.revoke_session',
				requestContext.requestId,
			)
			return undefined
		},
	}
}

function presentSession(row: Awaited<ReturnType<typeof listLiveSessions>>[number], currentId: string) {
	return {
		id: row.id,
		current: row.id === currentId,
		user_agent: row.user_agent,
		address: row.address,
		created_at: toIso(row.created_at),
		last_used_at: toIso(row.last_used_at),
		expires_at: toIso(row.expires_at),
	}
}

/** Lets the session continue in another workspace of the same person, also after later refreshes. */
async function switchWorkspace(
	{ mutate, audit }: IdentityContext,
	user: UserPrincipal,
	workspaceId: string,
	requestId: string,
): Promise<void> {
	await mutate(async (tx) => {
		// Under the lock with which a membership ends: the session must not stay in a workspace that its person has left.
		await lockNumbering(tx)
		if (!(await findMember(tx, workspaceId, user.userId))) throw notFound('workspace')
		await setSessionWorkspace(tx, workspaceId, user.sessionId)
		await audit.record(tx, { workspaceId, actor: actorOf(user), action: 'auth.switch', requestId })
	})
}

/** Creates an operator as the owner of the workspace `default`, and signs them in. All other setup links are invalidated. */
async function setUp(
	context: IdentityContext,
	input: Registration & { setup_token: string },
	caller: Caller,
): Promise<OpenSession> {
	requirePasswords(context)
	const { store, clock } = context
	const hash = hashToken(input.setup_token)
	const usable =
		isToken(input.setup_token, tokenPrefixes.setup) &&
		(await isUsableSetupLink(store.db, hash, clock.nowMs()))
	if (!usable) throw new Problem('setup_link_invalid')
	const email = normaliseEmail(input.email)
	refuseWeakPassword(input.password, email)
	const passwordHash = await context.hasher.hash(input.password)
	const account = { email, passwordHash, name: input.name ?? '', operator: true, workspaceName: 'default' }
	return refuseDuplicate(
		context.mutate(async (tx) => {
			// Of two links that are used at once, the second one has been ended by the first.
			await lockNumbering(tx)
			if (!(await consumeSetupLink(tx, hash, clock.nowMs()))) throw new Problem('setup_link_invalid')
			await endSetupLinks(tx, clock.nowMs())
			const entry = { action: 'auth.setup', requestId: caller.requestId }
			return openSession(context, tx, await insertAccount(context, tx, account, entry), caller)
		}),
	)
}
