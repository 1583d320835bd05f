import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import { ownedRows } from '../../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type ConnectionRow = ControlSchema['connections']

export const {
	find: findConnection,
	list: listConnections,
	insert: insertConnection,
	update: updateConnection,
	remove: deleteConnection,
} = ownedRows('connections')

/** In the order of ids, so that two nodes never wait for each other's rows (no deadlock). */
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

/** For the in-memory view, across workspaces. */
export function readAllConnections(db: Queryable): Promise<ConnectionRow[]> {
	return db.selectFrom('connections').selectAll().execute()
}

/** For the in-memory view, which gets the id of a change only. */
export function readConnection(db: Queryable, id: string): Promise<ConnectionRow | undefined> {
	return db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst()
}
