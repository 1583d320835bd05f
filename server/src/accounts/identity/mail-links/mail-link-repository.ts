import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import type { Page } from '../../../platform/paging.ts'

/** Links belong to people, who are not part of a workspace, so no function here takes one. */
export type MailLinkRow = ControlSchema['mail_links']

/** A link with the same secret replaces the previous one: it is the same link sent again. */
export async function insertMailLink(db: Queryable, row: MailLinkRow): Promise<void> {
	await db.deleteFrom('mail_links').where('token_hash', '=', row.token_hash).execute()
	await db.insertInto('mail_links').values(row).execute()
}

export async function deleteMailLink(db: Queryable, id: string): Promise<void> {
	await db.deleteFrom('mail_links').where('id', '=', id).execute()
}

/** Removes the link of a used or revoked secret from the operators' list. */
export async function deleteMailLinkOf(tx: DatabaseTransaction, tokenHash: string): Promise<void> {
	await tx.deleteFrom('mail_links').where('token_hash', '=', tokenHash).execute()
}

export async function deleteExpiredMailLinks(db: Queryable, nowMs: number): Promise<void> {
	await db.deleteFrom('mail_links').where('expires_at', '<=', nowMs).execute()
}

export async function listMailLinks(
	db: Queryable,
	nowMs: number,
	page: Page & { order: 'asc' | 'desc' },
): Promise<{ rows: MailLinkRow[]; total: number }> {
	const live = db.selectFrom('mail_links').where('expires_at', '>', nowMs)
	const { total } = await live.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
	const rows = await live
		.selectAll()
		.orderBy('created_at', page.order)
		.orderBy('id', page.order)
		.limit(page.limit)
		.offset((page.page - 1) * page.limit)
		.execute()
	return { rows, total: Number(total) }
}
