import { tokenPrefixes } from '@signalbox/contract'
import { hashToken, newToken } from '../../../platform/crypto/token.ts'
import { newId } from '../../../platform/ids.ts'
import { hasOperator } from '../accounts/account-repository.ts'
import type { IdentityContext } from '../identity-context.ts'
import { insertSetupLink } from './setup-repository.ts'

const lifetimeMs = 15 * 60 * 1000

/** The secret of a new setup link, or null when there is an operator already. */
export async function newSetupToken(
	context: Pick<IdentityContext, 'store' | 'mutate' | 'clock'>,
): Promise<string | null> {
	return (await hasOperator(context.store.db)) ? null : addSetupToken(context)
}

/** The secret of a link that makes an operator, once, within 15 minutes. Only its hash is stored. */
export async function addSetupToken({
	mutate,
	clock,
}: Pick<IdentityContext, 'mutate' | 'clock'>): Promise<string> {
	const secret = newToken(tokenPrefixes.setup)
	const nowMs = clock.nowMs()
	await mutate((tx) =>
		insertSetupLink(tx, { id: newId(nowMs), secret_hash: hashToken(secret), expires_at: nowMs + lifetimeMs }),
	)
	return secret
}

/** The secret stands in the fragment, which browsers never send: it stays out of logs and proxies. */
export function setupUrl(baseUrl: string, secret: string): string {
	return `${baseUrl.replace(/\/$/, '')}/ui/setup#${secret}`
}
