import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type RetentionRow = ControlSchema['retention_settings']

export function listRetention(db: Queryable, workspaceId: string): Promise<RetentionRow[]> {
	return db.selectFrom('retention_settings').selectAll().where('workspace_id', '=', workspaceId).execute()
}

export async function replaceRetention(
	tx: DatabaseTransaction,
	workspaceId: string,
	rows: readonly RetentionRow[],
): Promise<void> {
	await tx.deleteFrom('retention_settings').where('workspace_id', '=', workspaceId).execute()
	if (rows.length > 0)
		await tx
			.insertInto('retention_settings')
			.values([...rows])
			.execute()
}

/** For the view in memory, which covers all workspaces. */
export function listRetentionForView(db: Queryable): Promise<RetentionRow[]> {
	return db.selectFrom('retention_settings').selectAll().execute()
}
