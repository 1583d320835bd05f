import type { ControlSchema, DatabaseTransaction, Queryable } from '../../platform/database/index.ts'
import type { Page } from '../../platform/paging.ts'

export type ConnectionRow = ControlSchema['connections']

export async function listConnections(
	db: Queryable,
	workspaceId: string,
	{ page, limit, order }: Page & { order: 'asc' | 'desc' },
): Promise<{ rows: ConnectionRow[]; total: number }> {
	const own = db.selectFrom('connections').where('workspace_id', '=', workspaceId)
	const rows = await own
		.selectAll()
		.orderBy('created_at', order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	const { total } = await own.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
	return { rows, total: Number(total) }
}

export function findConnection(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<ConnectionRow | undefined> {
	return db
		.selectFrom('connections')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

export async function insertConnection(db: Queryable, row: ConnectionRow): Promise<void> {
	await db.insertInto('connections').values(row).execute()
}

export async function updateConnection(
	db: Queryable,
	workspaceId: string,
	id: string,
	change: Partial<ConnectionRow>,
): Promise<void> {
	await db
		.updateTable('connections')
		.set(change)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** In the order of ids, so that two nodes never wait for each other's rows. */
export async function touchConnection(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	usedAtMs: number,
): Promise<void> {
	await tx
		.updateTable('connections')
		.set({ last_used_at: usedAtMs })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

export async function deleteConnection(db: Queryable, workspaceId: string, id: string): Promise<void> {
	await db.deleteFrom('connections').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** For the in-memory view, which holds every workspace. */
export function readAllConnections(db: Queryable): Promise<ConnectionRow[]> {
	return db.selectFrom('connections').selectAll().execute()
}

/** For the in-memory view, which learns of a change by its id alone. */
export function readConnection(db: Queryable, id: string): Promise<ConnectionRow | undefined> {
	return db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst()
}
