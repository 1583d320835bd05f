import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import { countOf, type Listing, ownedRows, pageOf } from '../../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type ShareRow = ControlSchema['session_shares']

export async function isSharingOn(db: Queryable, workspaceId: string): Promise<boolean> {
	const row = await db
		.selectFrom('sharing_settings')
		.select('enabled')
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirst()
	return row?.enabled === 1
}

export async function setSharing(
	tx: DatabaseTransaction,
	row: ControlSchema['sharing_settings'],
): Promise<void> {
	const { enabled, updated_at } = row
	await tx
		.insertInto('sharing_settings')
		.values(row)
		.onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ enabled, updated_at }))
		.execute()
}

/** Links that have not expired. */
export async function listShares(
	db: Queryable,
	workspaceId: string,
	nowMs: number,
	{ session_id, ...listing }: Listing<ShareRow> & { session_id?: string },
): Promise<{ rows: ShareRow[]; total: number }> {
	const open = openShares(db, workspaceId, nowMs)
	return pageOf(session_id === undefined ? open : open.where('session_id', '=', session_id), listing)
}

export function countShares(db: Queryable, workspaceId: string, nowMs: number): Promise<number> {
	return countOf(openShares(db, workspaceId, nowMs))
}

export const { find: findShare, insert: insertShare, remove: removeShare } = ownedRows('session_shares')

/** In any workspace: the secret is the only right that is needed. */
export function findShareByToken(
	db: Queryable,
	tokenHash: string,
	nowMs: number,
): Promise<ShareRow | undefined> {
	return db
		.selectFrom('session_shares')
		.selectAll()
		.where('token_hash', '=', tokenHash)
		.where('expires_at', '>', nowMs)
		.executeTakeFirst()
}

/** Those of all workspaces that expired before a time. */
export async function deleteExpiredShares(db: Queryable, beforeMs: number): Promise<void> {
	await db.deleteFrom('session_shares').where('expires_at', '<', beforeMs).execute()
}

function openShares(db: Queryable, workspaceId: string, nowMs: number) {
	return db
		.selectFrom('session_shares')
		.where('workspace_id', '=', workspaceId)
		.where('expires_at', '>', nowMs)
}
