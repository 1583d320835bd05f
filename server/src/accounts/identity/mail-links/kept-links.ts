import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { hashToken } from '../../../platform/crypto/token.ts'
import type { ControlStore } from '../../../platform/database/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { LinkKeeper } from '../../../platform/mail/index.ts'
import { deleteMailLink, insertMailLink, type MailLinkRow } from './mail-link-repository.ts'

const usualLifetimeMs = 7 * 24 * 60 * 60 * 1000
const sealContext = (id: string) => ({ workspaceId: '', kind: 'mail_link', origin: '', id })

/** Keeps links sealed in the control store until they are delivered, used or expired. */
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
				expires_at: expiresAtMs ?? nowMs + usualLifetimeMs,
			}
			await store.db.transaction().execute((tx) => insertMailLink(tx, row))
			return id
		},
		forget: (id) => deleteMailLink(store.db, id),
	}
}

export function openLink(row: MailLinkRow, sealer: Sealer): string {
	return sealer.open(row.sealed_link, sealContext(row.id))
}

function secretIn(link: string): string {
	return new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? link
}
