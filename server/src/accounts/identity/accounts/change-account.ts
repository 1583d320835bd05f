import { requireUnchanged } from '../../../platform/change-scope.ts'
import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { Problem } from '../../../platform/errors.ts'
import type { UserPrincipal } from '../../../platform/http/principal.ts'
import { type Actor, actorOf } from '../../audit/audit.ts'
import type { Caller, IdentityContext } from '../identity-context.ts'
import { endAllSessions } from '../sessions/end-session.ts'
import { readMe } from '../sessions/open-session.ts'
import { findUser, setPassword, setTimeZone, setVerified, type UserRow } from './account-repository.ts'
import { passwordChangedMessage, verifyMessage } from './messages.ts'
import { homeWorkspaceOf } from './new-account.ts'
import { refuseWeakPassword, requirePasswords } from './password-rules.ts'
import { type AccountToken, consumeToken, endTokens, findToken, issueToken } from './tokens/account-tokens.ts'

interface NewPassword {
	user: UserRow
	passwordHash: string
	actor: Actor
	action: 'auth.reset_password' | 'auth.change_password'
	workspaceId: string
	requestId: string
	/** The session that is not ended. */
	keepSessionId?: string
}

/**
 * Sets a password by a mailed link. The link proves that the mailbox is the person's, so the address counts as verified; all
 * sessions end.
 */
export async function resetPassword(
	context: IdentityContext,
	input: { token: string; password: string },
	caller: Caller,
): Promise<void> {
	requirePasswords(context)
	const { throttle, store, hasher } = context
	const attempt = { kind: 'link', address: caller.address } as const
	const token = await throttle.guard(attempt, () => findToken(context, input.token, 'reset'))
	const user = await findUser(store.db, token.user_id)
	if (user?.email !== token.email) throw new Problem('mail_link_invalid')
	refuseWeakPassword(input.password, user.email)
	const change = {
		user,
		passwordHash: await hasher.hash(input.password),
		actor: { kind: 'user', id: user.id, name: user.email },
		action: 'auth.reset_password',
		workspaceId: await homeWorkspaceOf(store.db, user.id),
		requestId: caller.requestId,
	} as const
	await context.mutate(async (tx) => {
		await consumeToken(context, tx, token)
		await applyPassword(context, tx, change)
		await markVerified(context, tx, user.id)
	})
	await throttle.succeeded({ kind: 'login', account: user.email, address: caller.address })
	notify(context, user)
}

/** Changes the password of a signed-in person who knows the current one; their other sessions end. */
export async function changePassword(
	context: IdentityContext,
	principal: UserPrincipal,
	input: { current_password: string; new_password: string },
	caller: Caller,
): Promise<void> {
	requirePasswords(context)
	const { store, hasher } = context
	const user = await findUser(store.db, principal.userId)
	if (!user) throw new Problem('session_ended')
	if (user.password_hash === null) throw new Problem('no_password')
	await requireCurrent(context, user, input.current_password, caller)
	refuseWeakPassword(input.new_password, user.email)
	const change = {
		user,
		passwordHash: await hasher.hash(input.new_password),
		actor: actorOf(principal),
		action: 'auth.change_password',
		workspaceId: principal.workspaceId,
		requestId: caller.requestId,
		keepSessionId: principal.sessionId,
	} as const
	await context.mutate((tx) => applyPassword(context, tx, change))
	notify(context, user)
}

/** Counts as a sign-in attempt: a stolen session must not allow guessing the password. */
async function requireCurrent(
	{ throttle, hasher }: IdentityContext,
	user: UserRow,
	password: string,
	caller: Caller,
): Promise<void> {
	const attempt = { kind: 'login', account: user.email, address: caller.address } as const
	await throttle.check(attempt)
	const matches = await hasher.verify(password, user.password_hash ?? '')
	await throttle.check(attempt)
	if (matches) return throttle.succeeded(attempt)
	await throttle.count(attempt)
	throw new Problem('wrong_password')
}

async function applyPassword(
	context: IdentityContext,
	tx: DatabaseTransaction,
	{ user, passwordHash, keepSessionId, ...change }: NewPassword,
): Promise<void> {
	const { clock, audit } = context
	const { workspaceId, actor, action, requestId } = change
	const target = { kind: 'user', id: user.id, name: user.email }
	await setPassword(tx, user.id, passwordHash, clock.nowMs())
	await endTokens(context, tx, user.id, 'reset')
	await audit.record(tx, { workspaceId, actor, action, target, requestId })
	const ending = { workspaceId, actor, action: 'auth.revoke_session', requestId }
	await endAllSessions(context, tx, user.id, ending, keepSessionId)
	await appendChange(tx, 'user', user.id, clock)
}

function notify({ background, mailer, publicAddress }: IdentityContext, user: UserRow): void {
	background.run('mail', () => mailer.send(passwordChangedMessage(publicAddress(), user.email)))
}

/**
 * Marks the e-mail address of a link as verified. Throws `mail_link_invalid` if the link was used, has expired or is for an address
 * that the person no longer has.
 */
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
	const workspaceId = await homeWorkspaceOf(store.db, user.id)
	const target = { kind: 'user', id: user.id, name: user.email }
	await mutate(async (tx) => {
		await consumeToken(context, tx, token)
		await markVerified(context, tx, user.id)
		const actor = { kind: 'user', id: user.id, name: user.email } as const
		await audit.record(tx, { workspaceId, actor, action: 'auth.verify', target, requestId: caller.requestId })
	})
	return { email: user.email }
}

/** For people who have proved otherwise that the mailbox is theirs: by a reset or a mailed invitation. */
async function markVerified(
	{ clock }: Pick<IdentityContext, 'clock'>,
	tx: DatabaseTransaction,
	userId: string,
): Promise<void> {
	await setVerified(tx, userId, clock.nowMs())
	await appendChange(tx, 'user', userId, clock)
}

/** Sends the link again; does nothing if the address is already verified. */
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

/** Sends the link of a committed token. */
export function sendVerification(
	{ mailer, publicAddress, background }: IdentityContext,
	email: string,
	token: AccountToken,
): void {
	background.run('mail', () => mailer.send(verifyMessage(publicAddress(), email, token)))
}

/** Sets the time zone in which a person sees times in every browser; null: the browser's own. */
export async function chooseTimeZone(
	{ mutate, audit, clock }: IdentityContext,
	principal: UserPrincipal,
	timeZone: string | null,
	requestId: string,
) {
	if (timeZone !== null && !isTimeZone(timeZone)) {
		const detail = 'is not the name of a time zone'
		throw new Problem('invalid_request', `body/time_zone: ${detail}.`, {
			errors: [{ pointer: '/time_zone', code: 'time_zone', detail }],
		})
	}
	return mutate(async (tx) => {
		const me = await readMe(tx, principal)
		requireUnchanged(me)
		const { user } = me
		if (user.time_zone === timeZone) return user
		await setTimeZone(tx, user.id, timeZone, clock.nowMs())
		await audit.record(tx, {
			workspaceId: principal.workspaceId,
			...{ actor: actorOf(principal), action: 'auth.update', requestId },
			target: { kind: 'user', id: user.id, name: user.email },
			detail: { time_zone: timeZone },
		})
		return { ...user, time_zone: timeZone }
	})
}

function isTimeZone(name: string): boolean {
	try {
		return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone !== ''
	} catch {
		return false
	}
}
