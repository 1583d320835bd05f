import type { ControlSchema, DatabaseTransaction, Queryable } from '../../../../platform/database/index.ts'

/** Tokens belong to people, who stand above workspaces. */
export type AccountTokenRow = ControlSchema['account_tokens']

export async function insertAccountToken(tx: DatabaseTransaction, row: AccountTokenRow): Promise<void> {
	await tx.insertInto('account_tokens').values(row).execute()
}

export function findUsableToken(
	db: Queryable,
	hash: string,
	purpose: string,
	nowMs: number,
): Promise<AccountTokenRow | undefined> {
	return db
		.selectFrom('account_tokens')
		.selectAll()
		.where('hash', '=', hash)
		.where('purpose', '=', purpose)
		.where('used_at', 'is', null)
		.where('expires_at', '>', nowMs)
		.executeTakeFirst()
}

/** Marks a token as used; false when somebody was faster. */
export async function markUsed(tx: DatabaseTransaction, id: string, nowMs: number): Promise<boolean> {
	const result = await tx
		.updateTable('account_tokens')
		.set({ used_at: nowMs })
		.where('id', '=', id)
		.where('used_at', 'is', null)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

export async function listUnusedTokens(
	tx: DatabaseTransaction,
	userId: string,
	purpose: string,
): Promise<Pick<AccountTokenRow, 'id' | 'hash'>[]> {
	return tx
		.selectFrom('account_tokens')
		.select(['id', 'hash'])
		.where('user_id', '=', userId)
		.where('purpose', '=', purpose)
		.where('used_at', 'is', null)
		.execute()
}

export async function deleteExpiredTokens(db: Queryable, nowMs: number): Promise<void> {
	await db.deleteFrom('account_tokens').where('expires_at', '<=', nowMs).execute()
}
