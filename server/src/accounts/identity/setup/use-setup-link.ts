import { tokenPrefixes } from '@signalbox/contract'
import { hashToken, isToken } from '../../../platform/crypto/token.ts'
import { Problem } from '../../../platform/errors.ts'
import { insertAccount, normaliseEmail } from '../accounts/new-account.ts'
import { refuseWeakPassword } from '../accounts/password-rules.ts'
import { requirePasswords } from '../accounts/password-sign-in.ts'
import { type Registration, refuseDuplicate } from '../accounts/register.ts'
import type { Caller } from '../caller.ts'
import type { IdentityContext } from '../context.ts'
import { type OpenSession, openSession } from '../sessions/open-session.ts'
import { expireSetupLinks, isUsableSetupLink, useSetupLink } from './repository.ts'

/** Makes an operator, owner of the workspace `default`, signed in. Every other link ends with this. */
export async function setUp(
	context: IdentityContext,
	input: Registration & { setup_token: string },
	caller: Caller,
): Promise<OpenSession> {
	requirePasswords(context)
	const { store, clock } = context
	const hash = hashToken(input.setup_token)
	const usable =
		isToken(input.setup_token, tokenPrefixes.setup) &&
		(await isUsableSetupLink(store.db, hash, clock.nowMs()))
	if (!usable) throw new Problem('setup_link_invalid')
	const email = normaliseEmail(input.email)
	refuseWeakPassword(input.password, email)
	const passwordHash = await context.hasher.hash(input.password)
	const account = { email, passwordHash, name: input.name ?? '', operator: true, workspaceName: 'default' }
	return refuseDuplicate(
		context.mutate(async (tx) => {
			if (!(await useSetupLink(tx, hash, clock.nowMs()))) throw new Problem('setup_link_invalid')
			await expireSetupLinks(tx, clock.nowMs())
			const entry = { action: 'auth.setup', requestId: caller.requestId }
			return openSession(context, tx, await insertAccount(context, tx, account, entry), caller)
		}),
	)
}
