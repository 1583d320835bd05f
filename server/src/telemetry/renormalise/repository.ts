import type { ControlSchema, DatabaseTransaction, Queryable } from '../../platform/database/index.ts'
import type { Page } from '../../platform/paging.ts'

export type RenormalisationRow = ControlSchema['renormalisations']

export async function listRenormalisations(
	db: Queryable,
	workspaceId: string,
	{ page, limit, sort, order }: Page & { sort: 'created_at'; order: 'asc' | 'desc' },
): Promise<{ rows: RenormalisationRow[]; total: number }> {
	const own = db.selectFrom('renormalisations').where('workspace_id', '=', workspaceId)
	const rows = await own
		.selectAll()
		.orderBy(sort, order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	const counted = own.select((eb) => eb.fn.countAll<number>().as('renormalisations'))
	return { rows, total: Number((await counted.executeTakeFirstOrThrow()).renormalisations) }
}

export async function insertRenormalisation(tx: DatabaseTransaction, row: RenormalisationRow): Promise<void> {
	await tx.insertInto('renormalisations').values(row).execute()
}

export async function updateRenormalisation(
	tx: DatabaseTransaction,
	id: string,
	values: Partial<RenormalisationRow>,
): Promise<void> {
	await tx.updateTable('renormalisations').set(values).where('id', '=', id).execute()
}

/** Of all workspaces, the oldest that is not done: for the job. */
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
