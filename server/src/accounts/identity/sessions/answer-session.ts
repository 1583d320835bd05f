import type { IncomingMessage } from 'node:http'
import { toIso } from '../../../platform/clock.ts'
import { Problem } from '../../../platform/errors.ts'
import { findUser, listMemberships, type UserRow } from '../accounts/account-repository.ts'
import type { IdentityContext } from '../identity-context.ts'
import type { OpenSession } from './open-session.ts'

type SetHeader = (name: string, value: string | string[]) => void

export function toUser(row: UserRow) {
	return { id: row.id, email: row.email, name: row.name, verified: row.verified === 1 }
}

/** A session in a workspace; the refresh token only when it is new. */
export type Standing = Pick<OpenSession, 'userId' | 'sessionId' | 'workspaceId'> & Partial<OpenSession>

/** The answer to a sign-in: tokens in the body, or for the dashboard in cookies. */
export async function answerSession(
	context: IdentityContext,
	session: Standing,
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

/** An access token alone, or with the refresh token of a new session for the cookies. */
export function answerAccess(
	context: IdentityContext,
	session: Standing,
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
