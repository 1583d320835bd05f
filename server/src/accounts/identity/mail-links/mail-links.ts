import { mailLinkOperations } from '@signalbox/contract'
import { type Clock, toIso } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { hashToken } from '../../../platform/crypto/token.ts'
import {
	type ControlStore,
	type DatabaseTransaction,
	type Queryable,
	transact,
} from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { newId } from '../../../platform/ids.ts'
import type { LinkKeeper } from '../../../platform/mail/mailer.ts'
import { type Page, paginate } from '../../../platform/paging.ts'
import type { IdentityContext } from '../identity-context.ts'

const defaultLifetimeMs = 7 * 24 * 60 * 60 * 1000
const sealContext = (id: string) => ({ workspaceId: '', kind: 'mail_link', origin: '', id })

/** Stores links sealed in the control store until they are delivered, used or expired. */
export function createLinkKeeper({
	store,
	sealer,
	clock,
}: {
	store: ControlStore
	sealer: Sealer
	clock: Clock
}): LinkKeeper {
	return {
		keep: async ({ to, subject, link, expiresAtMs }) => {
			const nowMs = clock.nowMs()
			const id = newId(nowMs)
			const row = {
				id,
				token_hash: hashToken(secretIn(link)),
				recipient: to,
				subject,
				sealed_link: sealer.seal(link, sealContext(id)),
				created_at: nowMs,
				expires_at: expiresAtMs ?? nowMs + defaultLifetimeMs,
			}
			await transact(store.db, (tx) => insertMailLink(tx, row))
			return id
		},
		forget: (id) => deleteMailLink(store.db, id),
	}
}

function openLink(row: MailLinkRow, sealer: Sealer): string {
	return sealer.open(row.sealed_link, sealContext(row.id))
}

function secretIn(link: string): string {
	return new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? link
}

export function mailLinkRoutes({ store, sealer, clock }: IdentityContext): BoundOperation[] {
	return bind(mailLinkOperations, {
		list: async ({ query }) => {
			const { rows, total } = await listMailLinks(store.db, clock.nowMs(), query)
			return { mail_links: rows.map((row) => present(row, sealer)), pagination: paginate(query, total) }
		},
	})
}

function present(row: MailLinkRow, sealer: Sealer) {
	return {
		id: row.id,
		to: row.recipient,
		subject: row.subject,
		link: openLink(row, sealer),
		created_at: toIso(row.created_at),
		expires_at: toIso(row.expires_at),
	}
}

/** Links belong to people, who are not part of a workspace, so no function here takes one. */
type MailLinkRow = ControlSchema['mail_links']

/** A link with the same secret replaces the previous one: it is the same link sent again. */
async function insertMailLink(db: Queryable, row: MailLinkRow): Promise<void> {
	await db.deleteFrom('mail_links').where('token_hash', '=', row.token_hash).execute()
	await db.insertInto('mail_links').values(row).execute()
}

async function deleteMailLink(db: Queryable, id: string): Promise<void> {
	await db.deleteFrom('mail_links').where('id', '=', id).execute()
}

/** Removes the link of a used or revoked secret from the operators' list. */
export async function deleteMailLinkOf(tx: DatabaseTransaction, tokenHash: string): Promise<void> {
	await tx.deleteFrom('mail_links').where('token_hash', '=', tokenHash).execute()
}

/** Before the invitations to a workspace are deleted with it. */
export async function deleteMailLinksInto(tx: DatabaseTransaction, workspaceId: string): Promise<void> {
	const invited = tx.selectFrom('invitations').select('secret_hash').where('workspace_id', '=', workspaceId)
	await tx.deleteFrom('mail_links').where('token_hash', 'in', invited).execute()
}

export async function deleteExpiredMailLinks(db: Queryable, nowMs: number): Promise<void> {
	await db.deleteFrom('mail_links').where('expires_at', '<=', nowMs).execute()
}

async function listMailLinks(
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
