import type { Database, DatabaseTransaction, Queryable } from '../platform/database/database.ts'
import type { ControlSchema } from '../platform/database/schema.ts'

export type CheckRow = ControlSchema['health_checks']

const keptPerServer = 5000
/** Rows deleted per statement: other transactions must get their turn in between. */
const chunk = 5000

export async function insertCheck(tx: DatabaseTransaction, row: CheckRow): Promise<void> {
	await tx.insertInto('health_checks').values(row).execute()
}

/** Checks before `beforeId` (null: from the newest), newest first; ids grow with time. */
export function listChecks(
	db: Queryable,
	workspaceId: string,
	serverId: string,
	beforeId: string | null,
	limit: number,
): Promise<CheckRow[]> {
	return db
		.selectFrom('health_checks')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.$if(beforeId !== null, (query) => query.where('id', '<', beforeId as string))
		.orderBy('id', 'desc')
		.limit(limit)
		.execute()
}

/** Deletes all but the newest 5,000 checks of a server. */
export async function deleteSurplusChecks(
	tx: DatabaseTransaction,
	workspaceId: string,
	serverId: string,
): Promise<void> {
	const newestSurplus = tx
		.selectFrom('health_checks')
		.select('id')
		.where('server_id', '=', serverId)
		.orderBy('id', 'desc')
		.limit(1)
		.offset(keptPerServer)
	await tx
		.deleteFrom('health_checks')
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.where('id', '<=', newestSurplus)
		.execute()
}

/** For the background job, which spans workspaces: deletes checks from before a time; returns whether some may be left. */
export async function deleteOldChecks(db: Database, beforeMs: number): Promise<boolean> {
	const old = db.selectFrom('health_checks').select('id').where('at', '<', beforeMs).limit(chunk)
	const { numDeletedRows } = await db.deleteFrom('health_checks').where('id', 'in', old).executeTakeFirst()
	return Number(numDeletedRows) === chunk
}
