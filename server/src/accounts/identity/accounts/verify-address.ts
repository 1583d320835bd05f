import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { Problem } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/index.ts'
import type { Caller } from '../caller.ts'
import type { IdentityContext } from '../identity-context.ts'
import { findUser, setVerified } from './account-repository.ts'
import { homeOf } from './home-workspace.ts'
import { verifyMessage } from './messages.ts'
import { type AccountToken, findToken, issueToken, spendToken } from './tokens/account-tokens.ts'

/** Marks the address of a link as its owner's. `mail_link_invalid` when the link was used, has expired or is for an address that the person no longer has. */
export async function verifyAddress(
	context: IdentityContext,
	secret: string,
	caller: Caller,
): Promise<{ email: string }> {
	const { store, throttle, mutate, audit } = context
	const attempt = { kind: 'link', address: caller.address } as const
	const token = await throttle.guard(attempt, () => findToken(context, secret, 'verify'))
	const user = await findUser(store.db, token.user_id)
	if (user?.email !== token.email) throw new Problem('mail_link_invalid')
	const workspaceId = await homeOf(store.db, user.id)
	const target = { kind: 'user', id: user.id, name: user.email }
	await mutate(async (tx) => {
		await spendToken(context, tx, token)
		await markVerified(context, tx, user.id)
		const actor = { kind: 'user', id: user.id, name: user.email } as const
		await audit.record(tx, { workspaceId, actor, action: 'auth.verify', target, requestId: caller.requestId })
	})
	return { email: user.email }
}

/** For whoever has shown in another way that the mailbox is the person's: a reset, an invitation by mail. */
export async function markVerified(
	{ clock }: Pick<IdentityContext, 'clock'>,
	tx: DatabaseTransaction,
	userId: string,
): Promise<void> {
	await setVerified(tx, userId, clock.nowMs())
	await appendChange(tx, 'user', userId, clock)
}

/** Sends the link once more; nothing happens when the address is verified already. */
export async function resendVerification(
	context: IdentityContext,
	principal: UserPrincipal,
	caller: Caller,
): Promise<void> {
	const { throttle, store, mutate } = context
	const attempt = { kind: 'mail', address: caller.address } as const
	await throttle.check(attempt)
	await throttle.count(attempt)
	const user = await findUser(store.db, principal.userId)
	if (!user || user.verified === 1) return
	const person = { userId: user.id, email: user.email }
	sendVerification(context, user.email, await mutate((tx) => issueToken(context, tx, person, 'verify')))
}

/** Sends the link of a token that was committed. */
export function sendVerification(
	{ mailer, publicAddress, background }: IdentityContext,
	email: string,
	token: AccountToken,
): void {
	background.run('mail', () => mailer.send(verifyMessage(publicAddress(), email, token)))
}
