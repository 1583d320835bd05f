import type { Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type ObjectRow = ControlSchema['provider_objects']

/** Existing objects keep their owner. */
export async function insertObjects(db: Queryable, rows: readonly ObjectRow[]): Promise<void> {
	await db
		.insertInto('provider_objects')
		.values([...rows])
		.onConflict((conflict) => conflict.columns(['connection_id', 'object_id']).doNothing())
		.execute()
}

/** Which of these objects the owner created over the connection. */
export async function findOwned(
	db: Queryable,
	{ workspaceId, connectionId, owner }: { workspaceId: string; connectionId: string; owner: string },
	ids: readonly string[],
): Promise<string[]> {
	const rows = await db
		.selectFrom('provider_objects')
		.select('object_id')
		.where('workspace_id', '=', workspaceId)
		.where('connection_id', '=', connectionId)
		.where('owner', '=', owner)
		.where('object_id', 'in', ids)
		.execute()
	return rows.map(({ object_id }) => object_id)
}

export async function deleteExpired(db: Queryable, nowMs: number): Promise<void> {
	await db.deleteFrom('provider_objects').where('expires_at', '<', nowMs).execute()
}
