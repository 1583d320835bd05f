import { duplicateOf } from '../../../platform/database/database.ts'
import { Problem } from '../../../platform/errors.ts'
import type { Caller, IdentityContext } from '../identity-context.ts'
import { type OpenSession, openSession } from '../sessions/open-session.ts'
import { findUserByEmail, hasOperator } from './account-repository.ts'
import { sendVerification } from './change-account.ts'
import { insertAccount, normaliseEmail } from './new-account.ts'
import { refuseWeakPassword, requirePasswords } from './password-rules.ts'
import { issueToken } from './tokens/account-tokens.ts'

export interface Registration {
	email: string
	password: string
	name?: string
}

/** Registers a person with a new workspace and signs them in. Refusals are counted, because they reveal which addresses exist. */
export async function register(
	context: IdentityContext,
	input: Registration,
	caller: Caller,
): Promise<OpenSession> {
	requirePasswords(context)
	if (!(await hasOperator(context.store.db))) throw new Problem('setup_required')
	if (context.instance.value('signup') !== 'open') throw new Problem('signup_closed')
	const attempt = { kind: 'register', address: caller.address } as const
	return context.throttle.guard(attempt, () => makePerson(context, input, caller))
}

async function makePerson(
	context: IdentityContext,
	input: Registration,
	caller: Caller,
): Promise<OpenSession> {
	const email = normaliseEmail(input.email)
	refuseWeakPassword(input.password, email)
	if (await findUserByEmail(context.store.db, email)) throw emailTaken()
	const passwordHash = await context.hasher.hash(input.password)
	const name = input.name ?? ''
	const workspaceName = `${name || email.split('@')[0]}'s workspace`
	const account = { email, passwordHash, name, operator: false, workspaceName }
	const { token, session } = await refuseDuplicate(
		context.mutate(async (tx) => {
			const entry = { action: 'auth.register', requestId: caller.requestId }
			const person = await insertAccount(context, tx, account, entry)
			const token = await issueToken(context, tx, { ...person, email }, 'verify')
			return { token, session: await openSession(context, tx, person, caller) }
		}),
	)
	sendVerification(context, email, token)
	return session
}

/** Two requests may register the same address concurrently. */
export async function refuseDuplicate<T>(change: Promise<T>): Promise<T> {
	try {
		return await change
	} catch (error) {
		throw duplicateOf(error) === null ? error : emailTaken()
	}
}

function emailTaken(): Problem {
	return new Problem('conflict', 'This e-mail address is already registered.')
}
