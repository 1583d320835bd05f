import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'

export async function insertSetupLink(
	tx: DatabaseTransaction,
	link: { id: string; secret_hash: string; expires_at: number },
): Promise<void> {
	await tx
		.insertInto('setup_links')
		.values({ ...link, used_at: null })
		.execute()
}

export async function isUsableSetupLink(db: Queryable, hash: string, nowMs: number): Promise<boolean> {
	const usable = db.selectFrom('setup_links').select('id').where('secret_hash', '=', hash)
	return (
		(await usable.where('used_at', 'is', null).where('expires_at', '>', nowMs).executeTakeFirst()) !==
		undefined
	)
}

/** Marks a link as used; false if it was used, has expired or never existed. */
export async function consumeSetupLink(
	tx: DatabaseTransaction,
	hash: string,
	nowMs: number,
): Promise<boolean> {
	const result = await tx
		.updateTable('setup_links')
		.set({ used_at: nowMs })
		.where('secret_hash', '=', hash)
		.where('used_at', 'is', null)
		.where('expires_at', '>', nowMs)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

/** Invalidates all links once there is an operator, also for a clock that is set back later. */
export async function endSetupLinks(tx: DatabaseTransaction, nowMs: number): Promise<void> {
	await tx.updateTable('setup_links').set({ used_at: nowMs }).where('used_at', 'is', null).execute()
}
