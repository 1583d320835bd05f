import { sql } from 'kysely'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type CredentialRow = ControlSchema['credentials']
/** `oauth`: the access token of a client that a person connected. */
export type CredentialKindName = 'platform' | 'agent' | 'ingest' | 'oauth'

/** The rotation columns of a credential with its first secret. */
export const neverRotated = {
	next_hash: null,
	next_prefix: null,
	next_last4: null,
	next_created_at: null,
	next_grace_ms: null,
	previous_hash: null,
	previous_prefix: null,
	previous_last4: null,
	previous_expires_at: null,
	rotated_at: null,
}

export async function insertCredential(tx: DatabaseTransaction, row: CredentialRow): Promise<void> {
	await tx.insertInto('credentials').values(row).execute()
}

/** The only query that cannot name a workspace, because it finds the workspace of a secret. */
export function findCredentialByHash(db: Queryable, hash: string): Promise<CredentialRow | undefined> {
	return db
		.selectFrom('credentials')
		.selectAll()
		.where((eb) => eb.or([eb('hash', '=', hash), eb('next_hash', '=', hash), eb('previous_hash', '=', hash)]))
		.executeTakeFirst()
}

/** For the view, which knows only the id. */
export function findCredentialForView(db: Queryable, id: string): Promise<CredentialRow | undefined> {
	return db.selectFrom('credentials').selectAll().where('id', '=', id).executeTakeFirst()
}

/** For the view: all credentials that are still valid. */
export function listUsableCredentials(db: Queryable, nowMs: number): Promise<CredentialRow[]> {
	return db
		.selectFrom('credentials')
		.selectAll()
		.where('revoked_at', 'is', null)
		.where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
		.execute()
}

export interface CredentialFilter {
	kinds: readonly CredentialKindName[]
	agentId: string | null
	status?: 'active' | 'revoked' | 'expired' | undefined
}

function matching(
	db: Queryable,
	workspaceId: string,
	{ kinds, agentId, status }: CredentialFilter,
	nowMs: number,
) {
	return db
		.selectFrom('credentials')
		.where('workspace_id', '=', workspaceId)
		.where('kind', 'in', [...kinds])
		.$if(agentId !== null, (query) => query.where('agent_id', '=', agentId))
		.$if(status === 'revoked', (query) => query.where('revoked_at', 'is not', null))
		.$if(status === 'expired', (query) =>
			query.where('revoked_at', 'is', null).where('expires_at', '<=', nowMs),
		)
		.$if(status === 'active', (query) =>
			query
				.where('revoked_at', 'is', null)
				.where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)])),
		)
}

export interface CredentialPage {
	page: number
	limit: number
	sort: 'name' | 'created_at' | 'last_used_at' | 'expires_at'
	order: 'asc' | 'desc'
}

export async function listCredentials(
	db: Queryable,
	workspaceId: string,
	filter: CredentialFilter,
	{ page, limit, sort, order }: CredentialPage,
	nowMs: number,
): Promise<{ rows: CredentialRow[]; total: number }> {
	const own = matching(db, workspaceId, filter, nowMs)
	const counted = await own.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
	const rows = await own
		.selectAll()
		// The databases sort null differently; here "never" comes before every time.
		.orderBy(sql`${sql.ref(sort)} is not null`, order)
		.orderBy(sort, order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	return { rows, total: Number(counted.total) }
}

/** A credential of one of these kinds in the workspace. */
export function findCredential(
	db: Queryable,
	workspaceId: string,
	kinds: readonly CredentialKindName[],
	id: string,
): Promise<CredentialRow | undefined> {
	return matching(db, workspaceId, { kinds, agentId: null }, 0)
		.selectAll()
		.where('id', '=', id)
		.executeTakeFirst()
}

export async function hasIngestToken(db: Queryable, workspaceId: string, id: string): Promise<boolean> {
	return (await findCredential(db, workspaceId, ['ingest'], id)) !== undefined
}

/** Updates columns of an active credential; false if it was revoked meanwhile. */
export async function updateCredential(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	change: Partial<CredentialRow>,
): Promise<boolean> {
	const result = await tx
		.updateTable('credentials')
		.set(change)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('revoked_at', 'is', null)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

/**
 * Lets the waiting secret take over, and starts the grace period of the current one. Returns the name; undefined if it has already
 * taken over or was cancelled.
 */
export function activateNextSecret(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	nextHash: string,
	nowMs: number,
): Promise<{ name: string } | undefined> {
	return tx
		.updateTable('credentials')
		.set((eb) => ({
			hash: nextHash,
			prefix: sql<string>`next_prefix`,
			last4: sql<string>`next_last4`,
			previous_hash: eb.ref('hash'),
			previous_prefix: eb.ref('prefix'),
			previous_last4: eb.ref('last4'),
			previous_expires_at: sql<number>`next_grace_ms + cast(${nowMs} as bigint)`,
			rotated_at: eb.ref('next_created_at'),
			next_hash: null,
			next_prefix: null,
			next_last4: null,
			next_created_at: null,
			next_grace_ms: null,
		}))
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('next_hash', '=', nextHash)
		.where('revoked_at', 'is', null)
		.returning('name')
		.executeTakeFirst()
}

/** Revokes an active credential and returns its name; undefined if there is none with this id and kind. */
export function revokeCredential(
	tx: DatabaseTransaction,
	workspaceId: string,
	kinds: readonly CredentialKindName[],
	id: string,
	nowMs: number,
): Promise<{ name: string } | undefined> {
	return tx
		.updateTable('credentials')
		.set({ revoked_at: nowMs })
		.where('workspace_id', '=', workspaceId)
		.where('kind', 'in', [...kinds])
		.where('id', '=', id)
		.where('revoked_at', 'is', null)
		.returning('name')
		.executeTakeFirst()
}

/** Deletes access tokens that expired before this time; their grants may still get new ones. */
export async function deleteOldOauthTokens(db: Queryable, beforeMs: number): Promise<void> {
	await db.deleteFrom('credentials').where('kind', '=', 'oauth').where('expires_at', '<', beforeMs).execute()
}

export async function touchCredential(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	atMs: number,
): Promise<void> {
	await tx
		.updateTable('credentials')
		.set({ last_used_at: atMs })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** Whether the workspace has this agent. Its table belongs to the agents area, which imports this one. */
export async function hasAgent(db: Queryable, workspaceId: string, agentId: string): Promise<boolean> {
	const found = db
		.selectFrom('agents')
		.select('id')
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', agentId)
	return (await found.executeTakeFirst()) !== undefined
}

/** Whether a budget or model limits apply to this key. Their tables belong to areas that import this one. */
export async function hasOwnLimits(db: Queryable, workspaceId: string, keyId: string): Promise<boolean> {
	const of = (table: 'budgets' | 'model_limits') =>
		db
			.selectFrom(table)
			.select('id')
			.where('workspace_id', '=', workspaceId)
			.where('scope', '=', 'key')
			.where('scope_id', '=', keyId)
			.executeTakeFirst()
	return (await of('budgets')) !== undefined || (await of('model_limits')) !== undefined
}
