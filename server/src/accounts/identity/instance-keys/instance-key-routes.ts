import { instanceKeyOperations, type OutputOf } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { MasterKeyState } from '../../../platform/crypto/master-key-rotation.ts'
import { type BoundOperation, bind, type UserPrincipal, userIn } from '../../../platform/http/index.ts'
import { actorOf } from '../../audit/index.ts'
import type { IdentityContext } from '../identity-context.ts'
import type { SigningKeys } from '../sessions/signing-keys.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'

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
