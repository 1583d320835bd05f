import type { ControlSchema, DatabaseTransaction, Queryable } from '../../../platform/database/index.ts'

/** Nobody knows to which workspace an unknown caller wanted, so no function here takes one. */
export type DenialCount = ControlSchema['denial_counts']

export async function addDenials(tx: DatabaseTransaction, rows: readonly DenialCount[]): Promise<void> {
	for (const row of rows) {
		await tx
			.insertInto('denial_counts')
			.values(row)
			.onConflict((conflict) =>
				conflict
					.columns(['minute', 'address', 'code'])
					.doUpdateSet((eb) => ({ count: eb('denial_counts.count', '+', row.count) })),
			)
			.execute()
	}
}

export async function deleteDenialsBefore(db: Queryable, beforeMs: number): Promise<void> {
	await db.deleteFrom('denial_counts').where('minute', '<', beforeMs).execute()
}

/** The newest minute first; after the row that `after` names. */
export function listDenials(
	db: Queryable,
	after: Pick<DenialCount, 'minute' | 'address' | 'code'> | null,
	limit: number,
): Promise<DenialCount[]> {
	return db
		.selectFrom('denial_counts')
		.selectAll()
		.$if(after !== null, (query) => {
			const { minute, address, code } = after as DenialCount
			return query.where((eb) =>
				eb.or([
					eb('minute', '<', minute),
					eb.and([eb('minute', '=', minute), eb('address', '>', address)]),
					eb.and([eb('minute', '=', minute), eb('address', '=', address), eb('code', '>', code)]),
				]),
			)
		})
		.orderBy('minute', 'desc')
		.orderBy('address')
		.orderBy('code')
		.limit(limit)
		.execute()
}
