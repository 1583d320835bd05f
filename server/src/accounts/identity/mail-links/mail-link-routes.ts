import { mailLinkOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { type BoundOperation, bind } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import type { IdentityContext } from '../identity-context.ts'
import { openLink } from './kept-links.ts'
import { listMailLinks, type MailLinkRow } from './mail-link-repository.ts'

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
