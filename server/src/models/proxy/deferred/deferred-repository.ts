import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type DeferredCallRow = ControlSchema['deferred_calls']
export type DeferredResultRow = ControlSchema['deferred_results']

/** An existing row is left unchanged. */
export async function insertDeferredCall(db: Queryable, row: DeferredCallRow): Promise<void> {
	await db
		.insertInto('deferred_calls')
		.values(row)
		.onConflict((conflict) => conflict.columns(['connection_id', 'object_id']).doNothing())
		.execute()
}

/** The call that began an object, or the object of which it is a part. */
export async function findDeferredCall(
	db: Queryable,
	workspaceId: string,
	connectionId: string,
	objectId: string,
): Promise<string | undefined> {
	const row = await db
		.selectFrom('deferred_calls')
		.select('call')
		.where('workspace_id', '=', workspaceId)
		.where('connection_id', '=', connectionId)
		.where((eb) => {
			const whole = eb
				.selectFrom('provider_objects')
				.select('part_of')
				.where('connection_id', '=', connectionId)
				.where('object_id', '=', objectId)
			return eb.or([eb('object_id', '=', objectId), eb('object_id', '=', whole)])
		})
		.executeTakeFirst()
	return row?.call
}

/** Claims results that have not been claimed. Resolves with their keys. */
export async function takeResults(
	tx: DatabaseTransaction,
	rows: readonly DeferredResultRow[],
): Promise<string[]> {
	const taken = await tx
		.insertInto('deferred_results')
		.values([...rows])
		.onConflict((conflict) => conflict.columns(['connection_id', 'object_id', 'result_key']).doNothing())
		.returning('result_key')
		.execute()
	return taken.map(({ result_key }) => result_key)
}

/** Deletes the calls first: results without a call are never settled. */
export async function deleteExpiredDeferred(db: Queryable, nowMs: number): Promise<void> {
	await db.deleteFrom('deferred_calls').where('expires_at', '<', nowMs).execute()
	await db.deleteFrom('deferred_results').where('expires_at', '<', nowMs).execute()
}
