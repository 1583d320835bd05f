import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { notFound } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/principal.ts'
import { type Actor, actorOf } from '../../audit/audit.ts'
import type { IdentityContext } from '../identity-context.ts'
import { listLiveSessions, revokeSession } from './session-repository.ts'

interface Ending {
	workspaceId: string
	actor: Actor
	action: string
	requestId: string | null
}

/** Signs the requesting person out everywhere, or everywhere else. */
export async function endOwnSessions(
	context: IdentityContext,
	user: UserPrincipal,
	{ keepCurrent }: { keepCurrent: boolean },
	requestId: string,
): Promise<void> {
	const ending = {
		workspaceId: user.workspaceId,
		actor: actorOf(user),
		action: 'auth.revoke_session',
		requestId,
	}
	await context.mutate((tx) =>
		endAllSessions(context, tx, user.userId, ending, keepCurrent ? user.sessionId : undefined),
	)
}

/** Revokes one session of the requesting person; 404 if it is not theirs. */
export async function endOwnSession(
	context: IdentityContext,
	user: UserPrincipal,
	sessionId: string,
	action: 'auth.logout' | 'auth.revoke_session',
	requestId: string,
): Promise<void> {
	const ending = { workspaceId: user.workspaceId, actor: actorOf(user), action, requestId }
	const ended = await context.mutate((tx) => endSession(context, tx, user.userId, sessionId, ending))
	if (!ended && action === 'auth.revoke_session') throw notFound('session')
}

export async function endSession(
	{ clock, audit }: Pick<IdentityContext, 'clock' | 'audit'>,
	tx: DatabaseTransaction,
	userId: string,
	sessionId: string,
	ending: Ending,
): Promise<boolean> {
	if (!(await revokeSession(tx, userId, sessionId, clock.nowMs()))) return false
	await audit.record(tx, { ...ending, target: { kind: 'session', id: sessionId, name: '' } })
	await appendChange(tx, 'session', sessionId, clock)
	return true
}

/** Signs a person out everywhere, except for the session to be kept. */
export async function endAllSessions(
	context: Pick<IdentityContext, 'clock' | 'audit'>,
	tx: DatabaseTransaction,
	userId: string,
	ending: Ending,
	keepSessionId?: string,
): Promise<void> {
	// A session that has expired only by a doubted clock lives again when the clock is set right.
	for (const session of await listLiveSessions(tx, userId, context.clock.deletionMs())) {
		if (session.id !== keepSessionId) await endSession(context, tx, userId, session.id, ending)
	}
}
