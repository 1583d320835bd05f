import {
	type OutputOf,
	roleHas,
	type UpstreamOwner,
	type upstreamCredentialOperations,
} from '@signalbox/contract'
import { appendChange } from '../../platform/changes.ts'
import { toIso } from '../../platform/clock.ts'
import { notFound } from '../../platform/errors.ts'
import type { UserPrincipal } from '../../platform/http/index.ts'
import { findMetadata } from './authorization-servers/find-resource.ts'
import { configure, loadClient } from './authorization-servers/our-client.ts'
import { openTokens } from './tokens/stored-tokens.ts'
import type { UpstreamContext } from './tokens/upstream-tokens.ts'
import { type Change, recordChange, serverIn } from './upstream-credential-context.ts'
import { deleteTokens, listTokens, type TokenRow } from './upstream-credential-repository.ts'

type List = OutputOf<(typeof upstreamCredentialOperations)['connections']>

export async function listConnections(
	context: UpstreamContext,
	person: UserPrincipal,
	serverId: string,
): Promise<List> {
	serverIn(context, person.workspaceId, serverId)
	const rows = await listTokens(context.store.db, person.workspaceId, serverId, seenBy(person))
	return { connections: rows.map(present) }
}

/** Forgets tokens first and revokes them then: what the authorization server says changes nothing here. */
export async function disconnect(
	context: UpstreamContext,
	person: UserPrincipal,
	change: Change,
	serverId: string,
	id: string,
): Promise<void> {
	const server = serverIn(context, person.workspaceId, serverId)
	const row = await context.mutate(async (tx) => {
		const rows = await listTokens(tx, person.workspaceId, serverId, seenBy(person))
		const found = rows.find((candidate) => candidate.id === id)
		if (!found) throw notFound('connection')
		await deleteTokens(tx, person.workspaceId, id)
		const { owner, owner_id, issuer } = found
		await recordChange(tx, context, change, 'disconnect', server, { owner, owner_id, issuer })
		await appendChange(tx, 'upstream_token', id, context.clock)
		return found
	})
	await revoke(context, row).catch((error: unknown) =>
		context.log.warn({ err: error, server_id: serverId }, 'upstream credentials: tokens were not revoked'),
	)
}

async function revoke({ safeFetch, sealer }: UpstreamContext, row: TokenRow): Promise<void> {
	const { client, refreshToken, accessToken } = openTokens(sealer, row)
	const metadata = await findMetadata(safeFetch, row.issuer)
	if (metadata.revocation_endpoint === undefined) return
	const configuration = await configure(safeFetch, metadata, client)
	await (await loadClient()).tokenRevocation(configuration, refreshToken ?? accessToken)
}

/** Admins see everybody's tokens, others their own. */
function seenBy({ role, userId }: UserPrincipal): string | null {
	return roleHas(role, 'servers:write') ? null : userId
}

function present(row: TokenRow): List['connections'][number] {
	return {
		id: row.id,
		owner: row.owner as UpstreamOwner,
		owner_id: row.owner_id || null,
		issuer: row.issuer,
		scope: row.scope,
		status: row.status as 'active' | 'needs_consent',
		expires_at: row.expires_at === null ? null : toIso(row.expires_at),
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}
