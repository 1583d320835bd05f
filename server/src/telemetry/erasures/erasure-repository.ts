import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { ownedRows } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type ErasureRow = ControlSchema['telemetry_erasures']

export const { list: listErasures, insert: insertErasure } = ownedRows('telemetry_erasures')

export async function recordErasure(tx: DatabaseTransaction, id: string, nowMs: number): Promise<void> {
	await tx.updateTable('telemetry_erasures').set({ erased_at: nowMs }).where('id', '=', id).execute()
}

/** Erasures of all workspaces, oldest first, for the job. */
export function listAllErasures(db: Queryable): Promise<ErasureRow[]> {
	return db.selectFrom('telemetry_erasures').selectAll().orderBy('created_at').orderBy('id').execute()
}
