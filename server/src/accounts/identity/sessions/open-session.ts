import { appendChange } from '../../../platform/changes.ts'
import { hashToken } from '../../../platform/crypto/token.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { Caller } from '../caller.ts'
import type { IdentityContext } from '../identity-context.ts'
import { sessionLifetimeMs } from './lifetimes.ts'
import { firstRefreshToken } from './refresh-token.ts'
import { insertSession } from './session-repository.ts'

/** A session with the one copy of its refresh token. */
export interface OpenSession {
	sessionId: string
	userId: string
	workspaceId: string
	refreshToken: string
	expiresAtMs: number
}

/** Starts a session in the transaction of the sign-in; call it last, as it notes its change. */
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
