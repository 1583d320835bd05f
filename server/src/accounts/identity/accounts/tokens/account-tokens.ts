import { tokenPrefixes } from '@signalbox/contract'
import { hashToken, isToken, newToken } from '../../../../platform/crypto/token.ts'
import type { DatabaseTransaction } from '../../../../platform/database/database.ts'
import { Problem } from '../../../../platform/errors.ts'
import { newId } from '../../../../platform/ids.ts'
import type { IdentityContext } from '../../identity-context.ts'
import { deleteMailLinkOf } from '../../mail-links/mail-links.ts'
import {
	type AccountTokenRow,
	findUsableToken,
	insertAccountToken,
	listUnusedTokens,
	markUsed,
} from '../account-repository.ts'

/** Purposes of links to a person's mailbox: 24 h to verify the address, 30 min to reset the password. */
const purposes = {
	verify: { prefix: tokenPrefixes.verification, lifetimeMs: 24 * 60 * 60 * 1000 },
	reset: { prefix: tokenPrefixes.passwordReset, lifetimeMs: 30 * 60 * 1000 },
} as const
type Purpose = keyof typeof purposes

/** The only copy of a link's secret. */
export interface AccountToken {
	secret: string
	expiresAtMs: number
}

/**
 * Creates a token for a person's address; only its hash is stored. Earlier ones stay valid, because mails may arrive out of order.
 */
export async function issueToken(
	{ clock }: Pick<IdentityContext, 'clock'>,
	tx: DatabaseTransaction,
	person: { userId: string; email: string },
	purpose: Purpose,
): Promise<AccountToken> {
	const nowMs = clock.nowMs()
	const secret = newToken(purposes[purpose].prefix)
	const expiresAtMs = nowMs + purposes[purpose].lifetimeMs
	await insertAccountToken(tx, {
		id: newId(nowMs),
		user_id: person.userId,
		purpose,
		email: person.email,
		hash: hashToken(secret),
		created_at: nowMs,
		expires_at: expiresAtMs,
		used_at: null,
	})
	return { secret, expiresAtMs }
}

/** The stored token of a link. Throws `mail_link_invalid` if it was used, has expired, has another purpose or never existed. */
export async function findToken(
	{ store, clock }: Pick<IdentityContext, 'store' | 'clock'>,
	secret: string,
	purpose: Purpose,
): Promise<AccountTokenRow> {
	const row = isToken(secret, purposes[purpose].prefix)
		? await findUsableToken(store.db, hashToken(secret), purpose, clock.nowMs())
		: undefined
	if (!row) throw new Problem('mail_link_invalid')
	return row
}

/** Marks a token as used, in the transaction of the action that it allows. */
export async function consumeToken(
	{ clock }: Pick<IdentityContext, 'clock'>,
	tx: DatabaseTransaction,
	token: Pick<AccountTokenRow, 'id' | 'hash'>,
): Promise<void> {
	if (!(await markUsed(tx, token.id, clock.nowMs()))) throw new Problem('mail_link_invalid')
	await deleteMailLinkOf(tx, token.hash)
}

/** Invalidates all other links of a person with this purpose. */
export async function endTokens(
	context: Pick<IdentityContext, 'clock'>,
	tx: DatabaseTransaction,
	userId: string,
	purpose: Purpose,
): Promise<void> {
	for (const token of await listUnusedTokens(tx, userId, purpose)) await consumeToken(context, tx, token)
}
