import type { ControlSchema, DatabaseTransaction, Queryable } from '../../platform/database/index.ts'
import type { Page } from '../../platform/paging.ts'

export type ErasureRow = ControlSchema['telemetry_erasures']

export async function listErasures(
	db: Queryable,
	workspaceId: string,
	{ page, limit, sort, order }: Page & { sort: 'created_at'; order: 'asc' | 'desc' },
): Promise<{ rows: ErasureRow[]; total: number }> {
	const own = db.selectFrom('telemetry_erasures').where('workspace_id', '=', workspaceId)
	const rows = await own
		.selectAll()
		.orderBy(sort, order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	const counted = own.select((eb) => eb.fn.countAll<number>().as('erasures'))
	return { rows, total: Number((await counted.executeTakeFirstOrThrow()).erasures) }
}

export async function insertErasure(tx: DatabaseTransaction, row: ErasureRow): Promise<void> {
	await tx.insertInto('telemetry_erasures').values(row).execute()
}

export async function noteErased(tx: DatabaseTransaction, id: string, nowMs: number): Promise<void> {
	await tx.updateTable('telemetry_erasures').set({ erased_at: nowMs }).where('id', '=', id).execute()
}

/** Of all workspaces, the oldest first: for the job. */
export function listAllErasures(db: Queryable): Promise<ErasureRow[]> {
	return db.selectFrom('telemetry_erasures').selectAll().orderBy('created_at').orderBy('id').execute()
}
