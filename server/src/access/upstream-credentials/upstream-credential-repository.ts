import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type AuthRow = ControlSchema['upstream_auth']
export type TokenRow = ControlSchema['upstream_tokens']
export type FlowRow = ControlSchema['upstream_flows']

export function findAuth(db: Queryable, workspaceId: string, serverId: string): Promise<AuthRow | undefined> {
	return db
		.selectFrom('upstream_auth')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', serverId)
		.executeTakeFirst()
}

/** For the view, which spans workspaces. */
export function listAuthForView(db: Queryable, serverId: string | null): Promise<AuthRow[]> {
	return db
		.selectFrom('upstream_auth')
		.selectAll()
		.$if(serverId !== null, (query) => query.where('id', '=', serverId))
		.execute()
}

/** For the view: across workspaces, or the one with this id. */
export function listTokensForView(db: Queryable, id: string | null): Promise<TokenRow[]> {
	return db
		.selectFrom('upstream_tokens')
		.selectAll()
		.$if(id !== null, (query) => query.where('id', '=', id))
		.execute()
}

/** Replaces how a server's tokens are obtained, and deletes its tokens. */
export async function replaceAuth(
	tx: DatabaseTransaction,
	workspaceId: string,
	serverId: string,
	row: AuthRow | null,
): Promise<string[]> {
	const own = { workspace_id: workspaceId, server_id: serverId }
	const gone = await tx
		.deleteFrom('upstream_tokens')
		.where('workspace_id', '=', own.workspace_id)
		.where('server_id', '=', own.server_id)
		.returning('id')
		.execute()
	for (const table of ['upstream_flows', 'upstream_auth'] as const)
		await tx
			.deleteFrom(table)
			.where('workspace_id', '=', own.workspace_id)
			.where('server_id', '=', own.server_id)
			.execute()
	if (row) await tx.insertInto('upstream_auth').values(row).execute()
	return gone.map(({ id }) => id)
}

export function listTokens(
	db: Queryable,
	workspaceId: string,
	serverId: string,
	userId: string | null,
): Promise<TokenRow[]> {
	return db
		.selectFrom('upstream_tokens')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.$if(userId !== null, (query) =>
			query.where('owner', '=', 'user').where('owner_id', '=', userId as string),
		)
		.orderBy('id')
		.execute()
}

/** Replaces the owner's tokens. Resolves with the id of the row. */
export async function putTokens(tx: DatabaseTransaction, row: TokenRow): Promise<void> {
	await deleteTokensOf(tx, row)
	await tx.insertInto('upstream_tokens').values(row).execute()
}

async function deleteTokensOf(tx: DatabaseTransaction, row: TokenRow): Promise<void> {
	await tx
		.deleteFrom('upstream_tokens')
		.where('workspace_id', '=', row.workspace_id)
		.where('server_id', '=', row.server_id)
		.where('owner', '=', row.owner)
		.where('owner_id', '=', row.owner_id)
		.execute()
}

export async function deleteTokens(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
	await tx
		.deleteFrom('upstream_tokens')
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** Changes tokens that are unchanged since they were read; false otherwise. */
export async function changeTokens(
	tx: DatabaseTransaction,
	{ workspace_id, id, sealed_tokens }: TokenRow,
	change: Partial<TokenRow>,
): Promise<boolean> {
	const result = await tx
		.updateTable('upstream_tokens')
		.set(change)
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('sealed_tokens', '=', sealed_tokens)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

/** Takes the lease for a refresh; false if another process has it or has refreshed. */
export async function takeLease(
	tx: DatabaseTransaction,
	{ workspace_id, id, sealed_tokens }: TokenRow,
	nowMs: number,
	untilMs: number,
): Promise<boolean> {
	const result = await tx
		.updateTable('upstream_tokens')
		.set({ lease_until: untilMs })
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('sealed_tokens', '=', sealed_tokens)
		.where((eb) =>
			eb.or([
				eb('lease_until', 'is', null),
				eb('lease_until', '<', nowMs),
				// Taken before the clock was set back. The clocks of two machines do not differ by as much as a lease lasts.
				eb('lease_until', '>', untilMs + (untilMs - nowMs)),
			]),
		)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

export async function insertFlow(tx: DatabaseTransaction, row: FlowRow): Promise<void> {
	await tx.deleteFrom('upstream_flows').where('expires_at', '<', row.created_at).execute()
	await tx.insertInto('upstream_flows').values(row).execute()
}

/** Takes the flow of a `state`, which works once. */
export function takeFlow(tx: DatabaseTransaction, stateHash: string): Promise<FlowRow | undefined> {
	return tx.deleteFrom('upstream_flows').where('state_hash', '=', stateHash).returningAll().executeTakeFirst()
}

/** The person's name in the audit log; undefined if they are no member any more. */
export async function emailOfMember(
	tx: DatabaseTransaction,
	workspaceId: string,
	userId: string,
): Promise<string | undefined> {
	const member = tx
		.selectFrom('members')
		.innerJoin('users', 'users.id', 'members.user_id')
		.select('users.email')
	const found = member.where('members.workspace_id', '=', workspaceId).where('users.id', '=', userId)
	return (await found.executeTakeFirst())?.email
}

/** Deletes the tokens of a person or an agent in a workspace, and the consents that were begun by that person or for that agent. */
export async function deleteTokensOfOwner(
	tx: DatabaseTransaction,
	workspaceId: string,
	owner: 'user' | 'agent',
	ownerId: string,
): Promise<TokenRow[]> {
	await tx
		.deleteFrom('upstream_flows')
		.where('workspace_id', '=', workspaceId)
		.where(owner === 'user' ? 'user_id' : 'owner_id', '=', ownerId)
		.execute()
	return tx
		.deleteFrom('upstream_tokens')
		.where('workspace_id', '=', workspaceId)
		.where('owner', '=', owner)
		.where('owner_id', '=', ownerId)
		.returningAll()
		.execute()
}
