import { Problem } from '../../../platform/errors.ts'
import type { IdentityContext } from '../context.ts'
import { type CredentialChange, changeCredential, refuseEnded } from './change-credential.ts'
import { newSecretOf, storedSecret } from './create-credential.ts'
import { boundsIn, boundsOf, refuseBeyond, refuseToSpend } from './credential-rules.ts'
import type { CredentialKindName, CredentialRow } from './repository.ts'

type Context = Pick<IdentityContext, 'mutate' | 'audit' | 'clock'>

export const defaultGraceS = 86_400

/**
 * Gives a credential a second secret, in place of one that waits already. Both open it until the new one's first use
 * starts the countdown of the old one; see `activate-secret.ts`.
 */
export async function rotateCredential(
	context: Context,
	change: CredentialChange,
	graceS: number,
): Promise<{ row: CredentialRow; secret: string }> {
	let secret = ''
	const row = await changeCredential(context, change, async (before, nowMs, tx) => {
		refuseEnded(change.family, before, nowMs)
		const bounds = boundsIn(before)
		refuseBeyond(await boundsOf(tx, change.by), bounds)
		await refuseToSpend(tx, change.by, { id: before.id, scopes: bounds.scopes })
		secret = newSecretOf(before.kind as CredentialKindName)
		const { hash, prefix, last4 } = storedSecret(secret)
		const columns = {
			next_hash: hash,
			next_prefix: prefix,
			next_last4: last4,
			next_created_at: nowMs,
			next_grace_ms: graceS * 1000,
		}
		const detail = { grace_s: graceS, last4, replaced_pending: before.next_hash !== null }
		return { columns, verb: 'rotate', detail }
	})
	return { row, secret }
}

/** Takes back a new secret that nobody has used. Throws `conflict` when there is none. */
export async function cancelRotation(context: Context, change: CredentialChange): Promise<void> {
	await changeCredential(context, change, (before) => {
		if (before.next_hash === null)
			throw new Problem('conflict', 'There is no new secret that waits for its first use.')
		const columns = {
			next_hash: null,
			next_prefix: null,
			next_last4: null,
			next_created_at: null,
			next_grace_ms: null,
		}
		return { columns, verb: 'cancel-rotation', detail: { last4: before.next_last4 } }
	})
}
