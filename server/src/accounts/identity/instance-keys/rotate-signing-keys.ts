import { lockNumbering } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import type { UserPrincipal } from '../../../platform/http/index.ts'
import { actorOf, systemActor } from '../../audit/index.ts'
import type { IdentityContext } from '../identity-context.ts'
import { listSigningKeys } from '../sessions/session-repository.ts'

type Context = Pick<IdentityContext, 'signingKeys' | 'mutate' | 'audit' | 'clock' | 'log'>

const action = 'instance.rotate-signing-keys'
const tendEveryMs = 10 * 60_000

export async function rotateSigningKeys(
	{ signingKeys, mutate, audit }: Context,
	by: UserPrincipal,
	immediate: boolean,
	requestId: string,
): Promise<void> {
	await mutate(async (tx) => {
		const id = await signingKeys.rotate(tx, immediate)
		const target = { kind: 'signing_key', id, name: id }
		const { workspaceId } = by
		await audit.record(tx, {
			workspaceId,
			actor: actorOf(by),
			action,
			target,
			detail: { immediate },
			requestId,
		})
	})
}

/** Rotates keys that are 90 days old and deletes those that have ended, now and every ten minutes. */
export function tendSigningKeys(context: Context): { stop(): void } {
	const failed = (error: unknown) =>
		context.log.warn({ err: error }, 'identity: cannot tend the signing keys; tried again in ten minutes')
	const tend = () => void tendOnce(context).catch(failed)
	tend()
	const timer = setInterval(tend, tendEveryMs)
	timer.unref()
	return { stop: () => clearInterval(timer) }
}

/** Idempotent, so that every node may do it. */
export async function tendOnce({ signingKeys, mutate, audit }: Context): Promise<void> {
	if (signingKeys.all.length < 2 && !signingKeys.isDue()) return
	await mutate(async (tx) => {
		await lockNumbering(tx)
		if (signingKeys.isDue() && (await isStillNewest(tx, signingKeys.all[0]?.id))) {
			const id = await signingKeys.rotate(tx, false)
			const target = { kind: 'signing_key', id, name: id }
			const actor = systemActor('rotation after 90 days')
			await audit.record(tx, { workspaceId: '', actor, action, target })
		}
		await signingKeys.deleteEnded(tx)
	})
}

/** Another node may have been first. */
async function isStillNewest(tx: DatabaseTransaction, id: string | undefined): Promise<boolean> {
	const [newest] = await listSigningKeys(tx)
	return newest?.id === id
}
