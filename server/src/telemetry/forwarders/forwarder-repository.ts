import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { ownedRows } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type ForwarderRow = ControlSchema['forwarders']
export type CursorRow = ControlSchema['forwarder_cursors']

export const {
	find: findForwarder,
	list: listForwarders,
	count: countForwarders,
	insert: insertForwarder,
	update: updateForwarder,
	remove: deleteForwarder,
} = ownedRows('forwarders')

/** Identifies a cursor, with the position at which it was read. */
type CursorKey = Pick<CursorRow, 'workspace_id' | 'forwarder_id' | 'signal' | 'position'>

/** The cursors of some forwarders. */
export function listCursors(
	db: Queryable,
	workspaceId: string,
	forwarderIds: readonly string[],
): Promise<CursorRow[]> {
	if (forwarderIds.length === 0) return Promise.resolve([])
	return db
		.selectFrom('forwarder_cursors')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('forwarder_id', 'in', forwarderIds)
		.orderBy('forwarder_id')
		.orderBy('signal')
		.execute()
}

export async function insertCursors(tx: DatabaseTransaction, rows: CursorRow[]): Promise<void> {
	if (rows.length > 0) await tx.insertInto('forwarder_cursors').values(rows).execute()
}

export async function deleteCursors(
	tx: DatabaseTransaction,
	workspaceId: string,
	forwarderId: string,
	signals: readonly string[],
): Promise<void> {
	if (signals.length === 0) return
	await tx
		.deleteFrom('forwarder_cursors')
		.where('workspace_id', '=', workspaceId)
		.where('forwarder_id', '=', forwarderId)
		.where('signal', 'in', signals)
		.execute()
}

/**
 * Moves a cursor; false if its position is no longer the one that was read, because the signal was removed and added again
 * meanwhile.
 */
export async function moveCursor(
	tx: DatabaseTransaction,
	{ workspace_id, forwarder_id, signal, position }: CursorKey,
	values: Partial<CursorRow>,
): Promise<boolean> {
	const moved = tx
		.updateTable('forwarder_cursors')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('forwarder_id', '=', forwarder_id)
		.where('signal', '=', signal)
		.where('position', '=', position)
	return Number((await moved.executeTakeFirst()).numUpdatedRows) > 0
}

/** Clears the waiting times, so that everything is retried at once: somebody may have fixed the cause. */
export async function forgetWaits(
	tx: DatabaseTransaction,
	workspaceId: string,
	forwarderId: string,
): Promise<void> {
	await tx
		.updateTable('forwarder_cursors')
		.set({ next_at: null, attempts: 0 })
		.where('workspace_id', '=', workspaceId)
		.where('forwarder_id', '=', forwarderId)
		.execute()
}
