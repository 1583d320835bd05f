import type { ControlSchema, Queryable } from '../database/index.ts'

export type RotationRow = ControlSchema['master_key_rotations']

export function findRotation(db: Queryable, keyId: string): Promise<RotationRow | undefined> {
	return db.selectFrom('master_key_rotations').selectAll().where('id', '=', keyId).executeTakeFirst()
}

/** Notes a rotation that starts or goes on: what is left counts on top of what was done. */
export async function saveRotation(
	db: Queryable,
	{ id, total, nowMs }: { id: string; total: number; nowMs: number },
): Promise<void> {
	const fresh = { id, state: 'running', done: 0, total, error: null, started_at: nowMs, finished_at: null }
	await db
		.insertInto('master_key_rotations')
		.values(fresh)
		.onConflict((conflict) =>
			conflict.column('id').doUpdateSet((eb) => ({
				state: 'running',
				error: null,
				total: eb('master_key_rotations.done', '+', total),
			})),
		)
		.execute()
}

export async function updateRotation(
	db: Queryable,
	keyId: string,
	{ add = 0, error, finishedAtMs }: { add?: number; error?: string; finishedAtMs?: number },
): Promise<void> {
	await db
		.updateTable('master_key_rotations')
		.set((eb) => ({
			done: eb('done', '+', add),
			...(error !== undefined && { error }),
			...(finishedAtMs !== undefined && { state: 'done', finished_at: finishedAtMs, error: null }),
		}))
		.where('id', '=', keyId)
		.execute()
}
