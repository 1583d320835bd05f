import { hashToken } from '../../../platform/crypto/token.ts'
import { Problem } from '../../../platform/errors.ts'
import { systemActor } from '../../audit/index.ts'
import type { IdentityContext } from '../identity-context.ts'
import { endSession } from './end-session.ts'
import { type OpenSession, sessionIdOf, successorOf } from './open-session.ts'
import { findSession, idleLimitMs, rotateRefresh, type SessionRow } from './session-repository.ts'

/** How long the token before the current one is still answered, for a client that lost the answer. */
const graceMs = 10_000

/**
 * Exchanges a refresh token for its successor. A token that was already exchanged has been copied by somebody: the
 * whole session is revoked, whoever asks.
 */
export async function refreshSession(
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
	if (current.previous_refresh_hash === hash && nowMs - current.rotated_at <= graceMs) return open
	await revokeReused(context, current, requestId)
	throw new Problem(
		'session_ended',
		'This refresh token was used before, so the session was revoked. Log in again.',
		challenge,
	)
}

const challenge = { headers: { 'www-authenticate': 'Bearer realm="signalbox", error="invalid_token"' } }

export function sessionEnded(): Problem {
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
