import { lockNumbering } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { Problem } from '../../../platform/errors.ts'
import type { Caller, IdentityContext } from '../identity-context.ts'
import { type OpenSession, openSession } from '../sessions/open-session.ts'
import { findUser, findUserByEmail, listMemberships, type UserRow } from './account-repository.ts'
import { normaliseEmail } from './new-account.ts'
import { requirePasswords } from './password-rules.ts'

/** Signs a person in, in the first workspace that they joined. */
export async function logIn(
	context: IdentityContext,
	pair: { email: string; password: string },
	caller: Caller,
): Promise<OpenSession> {
	return startSession(context, await findByPassword(context, pair, caller), caller)
}

/**
 * Finds the person by e-mail address and password. An unknown address takes the same time and gets the same response as a wrong
 * password.
 */
export async function findByPassword(
	context: IdentityContext,
	{ email, password }: { email: string; password: string },
	caller: Pick<Caller, 'address'>,
): Promise<UserRow> {
	requirePasswords(context)
	context.hasher.requireRoom()
	const account = normaliseEmail(email)
	const attempt = { kind: 'login', account, address: caller.address } as const
	await context.throttle.check(attempt)
	const user = await findUserByEmail(context.store.db, account)
	const { hasher } = context
	const matches = await hasher.verify(password, user?.password_hash ?? hasher.unmatchableHash)
	// Checked again, so that guesses sent concurrently do not exceed the limit.
	await context.throttle.check(attempt)
	if (!user || !matches) {
		await context.throttle.count(attempt)
		throw wrongCredentials()
	}
	await context.throttle.succeeded(attempt)
	return user
}

async function startSession(context: IdentityContext, user: UserRow, caller: Caller): Promise<OpenSession> {
	return context.mutate(async (tx) => {
		await requireSamePassword(tx, user)
		// Under the lock with which a membership ends: no session may begin in a workspace that its person has just left.
		const [first] = await listMemberships(tx, user.id)
		if (!first)
			throw new Problem('forbidden', 'You belong to no workspace; ask an admin of one to invite you.')
		await context.audit.record(tx, {
			workspaceId: first.id,
			actor: { kind: 'user', id: user.id, name: user.email },
			action: 'auth.login',
			detail: { address: caller.address },
			requestId: caller.requestId,
		})
		return openSession(context, tx, { userId: user.id, workspaceId: first.id }, caller)
	})
}

/**
 * Call it first in the transaction that opens a session. A change of the password ends all sessions, so none may begin with a
 * password that was right only when it was checked.
 */
export async function requireSamePassword(tx: DatabaseTransaction, user: UserRow): Promise<void> {
	await lockNumbering(tx)
	const now = await findUser(tx, user.id)
	if (now?.password_hash !== user.password_hash) throw wrongCredentials()
}

function wrongCredentials(): Problem {
	return new Problem('wrong_credentials', undefined, {
		headers: { 'www-authenticate': 'Bearer realm="signalbox"' },
	})
}
