import type { ControlSchema, DatabaseTransaction, Queryable } from '../../platform/database/index.ts'
import type { Page } from '../../platform/paging.ts'

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

export interface ShareListing extends Page {
	sort: 'created_at' | 'expires_at'
	order: 'asc' | 'desc'
	session_id?: string
}

/** Links that have not expired. */
export async function listShares(
	db: Queryable,
	workspaceId: string,
	nowMs: number,
	{ page, limit, sort, order, session_id }: ShareListing,
): Promise<{ rows: ShareRow[]; total: number }> {
	const open = openShares(db, workspaceId, nowMs)
	const wanted = session_id === undefined ? open : open.where('session_id', '=', session_id)
	const rows = await wanted
		.selectAll()
		.orderBy(sort, order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	const counted = await wanted.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
	return { rows, total: Number(counted.total) }
}

export async function countShares(db: Queryable, workspaceId: string, nowMs: number): Promise<number> {
	const counted = openShares(db, workspaceId, nowMs).select((eb) => eb.fn.countAll<number>().as('total'))
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

export async function insertShare(tx: DatabaseTransaction, row: ShareRow): Promise<void> {
	await tx.insertInto('session_shares').values(row).execute()
}

/** Of any workspace: whoever has the secret needs no other right. */
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

/** Takes a link away and says which it was. */
export async function deleteShare(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
): Promise<ShareRow | undefined> {
	const row = await tx
		.selectFrom('session_shares')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
	if (row) await tx.deleteFrom('session_shares').where('id', '=', id).execute()
	return row
}

/** Those of all workspaces that expired before a moment. */
export async function deleteExpiredShares(db: Queryable, beforeMs: number): Promise<void> {
	await db.deleteFrom('session_shares').where('expires_at', '<', beforeMs).execute()
}

function openShares(db: Queryable, workspaceId: string, nowMs: number) {
	return db
		.selectFrom('session_shares')
		.where('workspace_id', '=', workspaceId)
		.where('expires_at', '>', nowMs)
}
