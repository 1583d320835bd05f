import type { Database, DatabaseTransaction } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

type KeptRow = ControlSchema['mcp_kept_results']

/** SQLite allows 32,766 bound values in a statement. */
const rowsMost = 500

export async function insertKeptPages(tx: DatabaseTransaction, rows: readonly KeptRow[]): Promise<void> {
	for (let from = 0; from < rows.length; from += rowsMost)
		await tx
			.insertInto('mcp_kept_results')
			.values(rows.slice(from, from + rowsMost))
			.execute()
}

export function findKeptPage(db: Database, workspaceId: string, id: string): Promise<KeptRow | undefined> {
	return db
		.selectFrom('mcp_kept_results')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

export async function sumKeptBytes(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
	const { total } = await tx
		.selectFrom('mcp_kept_results')
		.select((eb) => eb.fn.sum<number | null>('bytes').as('total'))
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirstOrThrow()
	return Number(total ?? 0)
}

/** The oldest pages of a workspace. All pages of a result have the same time. */
export function listOldestKept(
	tx: DatabaseTransaction,
	workspaceId: string,
	limit: number,
): Promise<Pick<KeptRow, 'created_at' | 'bytes'>[]> {
	return tx
		.selectFrom('mcp_kept_results')
		.select(['created_at', 'bytes'])
		.where('workspace_id', '=', workspaceId)
		.orderBy('created_at')
		.limit(limit)
		.execute()
}

export async function deleteKeptUpTo(
	tx: DatabaseTransaction,
	workspaceId: string,
	atMs: number,
): Promise<void> {
	await tx
		.deleteFrom('mcp_kept_results')
		.where('workspace_id', '=', workspaceId)
		.where('created_at', '<=', atMs)
		.execute()
}

/** Across workspaces: deletes pages that are too old to be read. */
export async function deleteKeptBefore(db: Database, atMs: number): Promise<void> {
	await db.deleteFrom('mcp_kept_results').where('created_at', '<', atMs).execute()
}
