import type { ControlSchema, DatabaseTransaction, Queryable } from '../../database/index.ts'

export type IdempotencyRow = ControlSchema['idempotency_keys']

/** Adds a row if its key is free; whether it was. */
export async function insertClaim(db: Queryable, row: IdempotencyRow): Promise<boolean> {
	const inserted = await db
		.insertInto('idempotency_keys')
		.values(row)
		.onConflict((conflict) => conflict.column('id').doNothing())
		.executeTakeFirst()
	return inserted.numInsertedOrUpdatedRows === 1n
}

export function findClaim(
	db: Queryable,
	{ workspace_id, id }: Pick<IdempotencyRow, 'workspace_id' | 'id'>,
): Promise<IdempotencyRow | undefined> {
	return claimOf(db, workspace_id, id).selectAll().executeTakeFirst()
}

function claimOf(db: Queryable, workspaceId: string, id: string) {
	return db.selectFrom('idempotency_keys').where('workspace_id', '=', workspaceId).where('id', '=', id)
}

/** Takes a key over from the request that had it, unless another was faster; whether it did. */
export async function replaceClaim(
	db: Queryable,
	before: IdempotencyRow,
	row: IdempotencyRow,
): Promise<boolean> {
	const { id, workspace_id, ...values } = row
	const replaced = await db
		.updateTable('idempotency_keys')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('claim_id', '=', before.claim_id)
		.where('state', '=', before.state)
		.executeTakeFirst()
	return replaced.numUpdatedRows === 1n
}

/** Moves the claim of a request on; whether the request still has it. */
export async function updateClaim(
	db: DatabaseTransaction | Queryable,
	{ workspace_id, id, claim_id }: IdempotencyRow,
	values: Partial<Pick<IdempotencyRow, 'state' | 'sealed_answer'>>,
): Promise<boolean> {
	const updated = await db
		.updateTable('idempotency_keys')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('claim_id', '=', claim_id)
		.executeTakeFirst()
	return updated.numUpdatedRows === 1n
}

/** Frees the key of a request that changed nothing. */
export async function deleteClaim(
	db: Queryable,
	{ workspace_id, id, claim_id }: IdempotencyRow,
): Promise<void> {
	await db
		.deleteFrom('idempotency_keys')
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('claim_id', '=', claim_id)
		.where('state', '=', 'running')
		.execute()
}

/** Of all workspaces: nobody can ask for them any more. */
export async function deleteExpired(db: Queryable, nowMs: number): Promise<void> {
	await db.deleteFrom('idempotency_keys').where('expires_at', '<', nowMs).execute()
}
