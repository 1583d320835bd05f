import type { ControlSchema, Queryable } from '../../../../platform/database/index.ts'

/** Failures belong to attempts from outside, before anybody's workspace is known. */
export type FailureRow = ControlSchema['login_failures']

export function listFailures(db: Queryable, keys: readonly string[]): Promise<FailureRow[]> {
	return db.selectFrom('login_failures').selectAll().where('key', 'in', keys).execute()
}

/** Counts one more failure for each key, in one statement; failures before `forgottenBeforeMs` no longer count. */
export async function countFailures(
	db: Queryable,
	keys: readonly string[],
	nowMs: number,
	forgottenBeforeMs: number,
): Promise<void> {
	// Always in the same order, so that two statements never wait for each other's rows.
	const rows = [...keys].sort().map((key) => ({ key, count: 1, last_at: nowMs }))
	await db
		.insertInto('login_failures')
		.values(rows)
		.onConflict((conflict) =>
			conflict.column('key').doUpdateSet((eb) => ({
				count: eb
					.case()
					.when('login_failures.last_at', '<', forgottenBeforeMs)
					.then(1)
					.else(eb('login_failures.count', '+', 1))
					.end(),
				last_at: nowMs,
			})),
		)
		.execute()
}

export async function forgetFailures(db: Queryable, keys: readonly string[]): Promise<void> {
	await db.deleteFrom('login_failures').where('key', 'in', keys).execute()
}

export async function forgetOldFailures(db: Queryable, forgottenBeforeMs: number): Promise<void> {
	await db.deleteFrom('login_failures').where('last_at', '<', forgottenBeforeMs).execute()
}
