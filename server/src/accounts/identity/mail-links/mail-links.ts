import { mailLinkOperations } from '@signalbox/contract'
import { type Clock, toIso } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { hashToken } from '../../../platform/crypto/token.ts'
import type { ControlStore } from '../../../platform/database/database.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { newId } from '../../../platform/ids.ts'
import type { LinkKeeper } from '../../../platform/mail/mailer.ts'
import { paginate } from '../../../platform/paging.ts'
import type { IdentityContext } from '../identity-context.ts'
import { deleteMailLink, insertMailLink, listMailLinks, type MailLinkRow } from './mail-link-repository.ts'

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
			await store.db.transaction().execute((tx) => insertMailLink(tx, row))
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
