import { type invitationOperations, type OutputOf, type Role, tokenPrefixes } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { hashToken, newToken } from '../../../platform/crypto/token.ts'
import type { IdentityContext } from '../identity-context.ts'
import type { InvitationRow } from './invitation-repository.ts'

export type NewInvitationDocument = OutputOf<(typeof invitationOperations)['create']>

/** A fresh secret for an invitation. The link carries it in the fragment, which browsers never send. */
export function newLink({ publicAddress, mailer }: IdentityContext) {
	const secret = newToken(tokenPrefixes.invitation)
	return {
		link: `${publicAddress()}/ui/invitation#token=${secret}`,
		row: { secret_hash: hashToken(secret), mailed: mailer.configured ? 1 : 0 },
	}
}

export function presentInvitation(row: InvitationRow, inviter: string | null) {
	return {
		id: row.id,
		email: row.email,
		role: row.role as Role,
		invited_by: inviter,
		created_at: toIso(row.created_at),
		expires_at: toIso(row.expires_at),
	}
}

/** Mails the link, or without a mail server hands it to the person who invites, who is the only one to see it. */
export async function deliver(
	{ mailer }: IdentityContext,
	row: InvitationRow,
	link: string,
	{ inviter, workspaceName }: { inviter: string; workspaceName: string },
): Promise<NewInvitationDocument> {
	const document = { ...presentInvitation(row, inviter), mailed: row.mailed === 1 }
	if (row.mailed === 0) return { ...document, link }
	const until = toIso(row.expires_at).slice(0, 10)
	await mailer.send({
		to: row.email,
		subject: `${inviter} invites you to ${workspaceName} on Signalbox`,
		text: `${inviter} invites you to the workspace ${workspaceName} on Signalbox, as ${row.role}.\n\nAccept until ${until}:\n${link}\n\nThe link works once. If you do not know the sender, ignore this message.\n`,
		link,
		expiresAtMs: row.expires_at,
	})
	return document
}
