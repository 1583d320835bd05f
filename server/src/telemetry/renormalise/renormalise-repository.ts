import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { ownedRows } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type RenormalisationRow = ControlSchema['renormalisations']

export const { list: listRenormalisations, insert: insertRenormalisation } = ownedRows('renormalisations')

export async function updateRenormalisation(
	tx: DatabaseTransaction,
	id: string,
	values: Partial<RenormalisationRow>,
): Promise<void> {
	await tx.updateTable('renormalisations').set(values).where('id', '=', id).execute()
}

/** The oldest unfinished renormalisation of all workspaces, for the job. */
export function firstUndone(db: Queryable): Promise<RenormalisationRow | undefined> {
	return db
		.selectFrom('renormalisations')
		.selectAll()
		.where('status', '<>', 'done')
		.orderBy('created_at')
		.orderBy('id')
		.limit(1)
		.executeTakeFirst()
}
