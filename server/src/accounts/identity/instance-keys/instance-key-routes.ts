import { instanceKeyOperations, type OutputOf } from '@signalbox/contract'
import { lockNumbering } from '../../../platform/changes.ts'
import { toIso } from '../../../platform/clock.ts'
import type { MasterKeyState } from '../../../platform/crypto/master-key-rotation.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { type BoundOperation, bind, type UserPrincipal, userIn } from '../../../platform/http/index.ts'
import { actorOf, systemActor } from '../../audit/index.ts'
import type { IdentityContext } from '../identity-context.ts'
import { listSigningKeys } from '../sessions/session-repository.ts'
import type { SigningKeys } from '../sessions/signing-keys.ts'

type Output<K extends keyof typeof instanceKeyOperations> = OutputOf<(typeof instanceKeyOperations)[K]>

export function instanceKeyRoutes(context: IdentityContext): BoundOperation[] {
	const { masterKey, signingKeys } = context
	return bind(instanceKeyOperations, {
		masterKey: async () => presentMasterKey(await masterKey.state()),
		rotateMasterKey: async ({ context: request }) => {
			masterKey.start()
			await recordStart(context, userIn(request), request.requestId)
			return presentMasterKey(await masterKey.state())
		},
		signingKeys: () => presentSigningKeys(signingKeys),
		rotateSigningKeys: async ({ body, context: request }) => {
			await rotateSigningKeys(context, userIn(request), body?.immediate === true, request.requestId)
			return presentSigningKeys(signingKeys)
		},
	})
}

async function recordStart(
	{ mutate, audit, masterKey }: IdentityContext,
	by: UserPrincipal,
	requestId: string,
): Promise<void> {
	const { keyId } = await masterKey.state()
	const target = { kind: 'master_key', id: keyId, name: keyId }
	const { workspaceId } = by
	const entry = { workspaceId, actor: actorOf(by), action: 'instance.rotate-master-key', target, requestId }
	await mutate((tx) => audit.record(tx, entry))
}

function presentMasterKey({ keyId, source, rotation }: MasterKeyState): Output<'masterKey'> {
	return {
		key_id: keyId,
		source,
		rotation: rotation && {
			state: rotation.state === 'done' ? 'done' : 'running',
			done: rotation.done,
			total: rotation.total,
			error: rotation.error,
			started_at: toIso(rotation.started_at),
			finished_at: rotation.finished_at === null ? null : toIso(rotation.finished_at),
		},
	}
}

function presentSigningKeys(keys: SigningKeys): Output<'signingKeys'> {
	const signer = keys.signer()
	const position = keys.all.indexOf(signer)
	const statusOf = (index: number) => {
		if (index === position) return 'signing' as const
		return index < position ? ('next' as const) : ('verifying' as const)
	}
	return {
		signing_keys: keys.all.map(({ id, createdAtMs }, index) => ({
			id,
			status: statusOf(index),
			created_at: toIso(createdAtMs),
		})),
	}
}

type Context = Pick<IdentityContext, 'signingKeys' | 'mutate' | 'audit' | 'clock' | 'log'>

const action = 'instance.rotate-signing-keys'
const tendEveryMs = 10 * 60_000

async function rotateSigningKeys(
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
async function tendOnce({ signingKeys, mutate, audit }: Context): Promise<void> {
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
