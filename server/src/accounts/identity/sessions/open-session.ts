import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { tokenPrefixes } from '@signalbox/contract'
import { appendChange } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { hashToken, idNamedBy, namingToken } from '../../../platform/crypto/token.ts'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import { Problem } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/principal.ts'
import { newId } from '../../../platform/ids.ts'
import { findUser, listMemberships, type UserRow } from '../accounts/account-repository.ts'
import type { Caller, IdentityContext } from '../identity-context.ts'
import { insertSession, sessionLifetimeMs } from './session-repository.ts'

const prefix = tokenPrefixes.session

/** A refresh token contains the id of its session, so that even a very old one says which session to revoke. */
function firstRefreshToken(sessionId: string): string {
	return namingToken(prefix, sessionId, randomBytes(16))
}

/** The next token. It is deterministic, so that a client that lost the response can retry. */
export function successorOf(token: string, sessionId: string, sealer: Sealer): string {
	const secret = Buffer.from(sealer.mac('refresh-successor', token).slice(0, 32), 'hex')
	return namingToken(prefix, sessionId, secret)
}

/** The session id in a token of the right format, or null. */
export function sessionIdOf(token: string): string | null {
	return idNamedBy(token, prefix)
}

/** A session with the only copy of its refresh token. */
export interface OpenSession {
	sessionId: string
	userId: string
	workspaceId: string
	refreshToken: string
	expiresAtMs: number
}

/** Starts a session in the transaction of the sign-in; call it last, as it records its change. */
export async function openSession(
	{ clock }: Pick<IdentityContext, 'clock'>,
	tx: DatabaseTransaction,
	person: { userId: string; workspaceId: string },
	caller: Caller,
): Promise<OpenSession> {
	const nowMs = clock.nowMs()
	const sessionId = newId(nowMs)
	const refreshToken = firstRefreshToken(sessionId)
	const expiresAtMs = nowMs + sessionLifetimeMs
	await insertSession(tx, {
		id: sessionId,
		user_id: person.userId,
		workspace_id: person.workspaceId,
		refresh_hash: hashToken(refreshToken),
		previous_refresh_hash: null,
		rotated_at: nowMs,
		user_agent: caller.userAgent,
		address: caller.address,
		created_at: nowMs,
		last_used_at: nowMs,
		expires_at: expiresAtMs,
		revoked_at: null,
	})
	await appendChange(tx, 'session', sessionId, clock)
	return { sessionId, ...person, refreshToken, expiresAtMs }
}

type SetHeader = (name: string, value: string | string[]) => void

export function toUser(row: UserRow) {
	const { id, email, name, time_zone } = row
	return { id, email, name, verified: row.verified === 1, time_zone }
}

/** Who is signed in, and where: the document of `GET /auth/me`. Throws `session_ended` if the person is no longer there. */
export async function readMe(db: Queryable, { userId, workspaceId, operator }: UserPrincipal) {
	const [user, workspaces] = [await findUser(db, userId), await listMemberships(db, userId)]
	const workspace = workspaces.find(({ id }) => id === workspaceId)
	if (!user || !workspace) throw new Problem('session_ended')
	return { user: toUser(user), operator, workspace, workspaces }
}

/** A session in a workspace; includes the refresh token only if it is new. */
export type SignedInSession = Pick<OpenSession, 'userId' | 'sessionId' | 'workspaceId'> & Partial<OpenSession>

/** The response to a sign-in: tokens in the body, or for the dashboard in cookies. */
export async function answerSession(
	context: IdentityContext,
	session: SignedInSession,
	request: IncomingMessage,
	setHeader: SetHeader,
) {
	const [user, workspaces] = await Promise.all([
		findUser(context.store.db, session.userId),
		listMemberships(context.store.db, session.userId),
	])
	if (!user) throw new Problem('session_ended')
	const access = answerAccess(context, session, request, setHeader)
	const inBody = 'token' in access && session.refreshToken ? { refresh_token: session.refreshToken } : {}
	return { ...access, ...inBody, user: toUser(user), workspaces }
}

/** An access token, for cookies together with the refresh token of a new session. */
export function answerAccess(
	context: IdentityContext,
	session: SignedInSession,
	request: IncomingMessage,
	setHeader: SetHeader,
) {
	const { token, expiresAtMs } = context.accessTokens.issue(session)
	const answer = { token_type: 'Bearer' as const, expires_at: toIso(expiresAtMs) }
	if (!context.cookies.wanted(request)) return { token, ...answer }
	const leftMs = (session.expiresAtMs ?? 0) - context.clock.nowMs()
	const refresh = session.refreshToken
		? { token: session.refreshToken, maxAgeS: Math.floor(leftMs / 1000) }
		: null
	setHeader('set-cookie', context.cookies.set(token, refresh))
	return answer
}
