import type { authorizationOperations, OutputOf, QueryOf } from '@signalbox/contract'
import { roleHas } from '@signalbox/contract'
import { actorOf } from '../../../accounts/audit/index.ts'
import { toIso } from '../../../platform/clock.ts'
import { notFound } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import type { AuthorizationContext } from '../context.ts'
import { findGrant, listGrants, type NamedGrant } from '../repository.ts'
import { revokeGrant } from '../tokens/revoke-grant.ts'

type List = (typeof authorizationOperations)['list']

export async function listClients(
	{ store, clock }: AuthorizationContext,
	person: UserPrincipal,
	query: QueryOf<List>,
): Promise<OutputOf<List>> {
	const { status, agent_uuid: agentId } = query
	const nowMs = clock.nowMs()
	const filter = { userId: seenBy(person), agentId, status }
	const { rows, total } = await listGrants(store.db, person.workspaceId, filter, query, nowMs)
	return { authorizations: rows.map((row) => present(row, nowMs)), pagination: paginate(query, total) }
}

/** Disconnects a client: of one's own, or as an admin of anybody. A second time changes nothing. */
export async function disconnectClient(
	context: AuthorizationContext,
	person: UserPrincipal,
	id: string,
	requestId: string,
): Promise<void> {
	await context.mutate(async (tx) => {
		const grant = await findGrant(tx, person.workspaceId, id, seenBy(person))
		if (!grant) throw notFound('authorization')
		await revokeGrant(context, tx, grant, { actor: actorOf(person), reason: 'by hand', requestId })
	})
}

/** Admins see everybody's clients, others their own. */
function seenBy({ role, userId }: UserPrincipal): string | null {
	return roleHas(role, 'members:write') ? null : userId
}

function present(row: NamedGrant, nowMs: number): OutputOf<List>['authorizations'][number] {
	return {
		id: row.id,
		client: { id: row.client_id, name: row.client_name },
		user: { id: row.user_id, email: row.email },
		agent: { uuid: row.agent_id, name: row.agent_name },
		resource: row.resource,
		scopes: row.scope.split(' '),
		status: row.revoked_at !== null ? 'revoked' : row.expires_at > nowMs ? 'active' : 'expired',
		created_at: toIso(row.created_at),
		last_used_at: row.last_used_at === null ? null : toIso(row.last_used_at),
		expires_at: toIso(row.expires_at),
	}
}
