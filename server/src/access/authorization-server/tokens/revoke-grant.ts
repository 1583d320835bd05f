import { type Actor, systemActor } from '../../../accounts/audit/index.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import type { AuthorizationContext } from '../authorization-context.ts'
import { endGrant, type GrantRow } from '../authorization-repository.ts'

interface Revocation {
	actor: Actor
	reason: string
	requestId: string
}

/** Ends a grant with all its tokens; a second time changes nothing. */
export async function revokeGrant(
	{ identity, audit, clock }: AuthorizationContext,
	tx: DatabaseTransaction,
	grant: GrantRow,
	{ actor, reason, requestId }: Revocation,
): Promise<void> {
	const { workspace_id: workspaceId, id } = grant
	if (!(await endGrant(tx, workspaceId, id, clock.nowMs()))) return
	await identity.oauthTokens.end(tx, workspaceId, id)
	await audit.record(tx, {
		workspaceId,
		actor,
		action: 'authorizations.revoke',
		target: { kind: 'authorization', id, name: grant.client_name },
		detail: { reason, user_id: grant.user_id, agent_uuid: grant.agent_id },
		requestId,
	})
}

/** A code or refresh token that comes a second time was copied by somebody: everything that came of it ends. */
export async function revokeReused(
	context: AuthorizationContext,
	grant: GrantRow,
	what: string,
	requestId: string,
): Promise<void> {
	context.log.warn(
		{ grant: grant.id, user: grant.user_id },
		`oauth: ${what} was used twice; its grant was revoked`,
	)
	const revocation = { actor: systemActor(`${what} reuse`), reason: `${what} reuse`, requestId }
	await context.mutate((tx) => revokeGrant(context, tx, grant, revocation))
}
