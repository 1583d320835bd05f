import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type LimitRow = ControlSchema['rate_limits']

export function listLimits(db: Queryable, workspaceId: string): Promise<LimitRow[]> {
	return db.selectFrom('rate_limits').selectAll().where('workspace_id', '=', workspaceId).execute()
}

export async function replaceLimits(
	tx: DatabaseTransaction,
	workspaceId: string,
	rows: readonly LimitRow[],
): Promise<void> {
	await tx.deleteFrom('rate_limits').where('workspace_id', '=', workspaceId).execute()
	if (rows.length > 0)
		await tx
			.insertInto('rate_limits')
			.values([...rows])
			.execute()
}

/** For the view, which spans workspaces. */
export function listLimitsForView(db: Queryable): Promise<LimitRow[]> {
	return db.selectFrom('rate_limits').selectAll().execute()
}
