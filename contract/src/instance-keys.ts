import { Type } from 'typebox'
import { operators } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const MasterKey = Strict(
	{
		key_id: Type.String({ description: 'Identifies the master key; reveals nothing about it' }),
		source: OneOf(['file', 'setting'], { description: '`master.key` of the data directory, or a setting' }),
		rotation: Nullable(
			Strict(
				{
					state: OneOf(['running', 'done']),
					done: Type.Integer({ description: 'Secrets sealed with the new key so far' }),
					total: Type.Integer({ description: 'Secrets that were sealed with another key' }),
					error: Nullable(Type.String({ description: 'Why it stopped' })),
					started_at: Time,
					finished_at: Nullable(Time),
				},
				{ title: 'MasterKeyRotation' },
			),
		),
	},
	{ title: 'MasterKey' },
)

const SigningKey = Strict(
	{
		id: Type.String({ description: '`kid` of the tokens that it signs' }),
		status: OneOf(['next', 'signing', 'verifying'], {
			description:
				'`next`: signs soon, once all nodes know it. `verifying`: no longer signs; verifies until its last token has expired',
		}),
		created_at: Time,
	},
	{ title: 'SigningKey' },
)
const SigningKeyList = Strict({ signing_keys: Type.Array(SigningKey) }, { title: 'SigningKeyList' })

export const instanceKeyOperations = {
	masterKey: operation({
		id: 'instance.master-key',
		method: 'GET',
		path: '/v1/instance/master-key',
		summary: 'Get the current master key and the progress of its rotation',
		access: operators(),
		status: 200,
		response: MasterKey,
	}),
	rotateMasterKey: operation({
		id: 'instance.rotate-master-key',
		method: 'POST',
		path: '/v1/instance/master-key/rotate',
		summary: 'Replace the master key; every stored secret is sealed again while the instance runs',
		description:
			'When the key comes from a setting, the answer is 409 and says what to do. An interrupted rotation continues at the next start.',
		access: operators(),
		status: 202,
		response: MasterKey,
	}),
	signingKeys: operation({
		id: 'instance.signing-keys',
		method: 'GET',
		path: '/v1/instance/signing-keys',
		summary: 'List the keys that sign access tokens, newest first',
		access: operators(),
		status: 200,
		response: SigningKeyList,
	}),
	rotateSigningKeys: operation({
		id: 'instance.rotate-signing-keys',
		method: 'POST',
		path: '/v1/instance/signing-keys/rotate',
		summary: 'Sign access tokens with a new key',
		description:
			'Happens automatically every 90 days. The new key signs after ten seconds; older ones verify until their last token has expired. With `immediate` they end at once, for a key that leaked: every access token is refused and has to be refreshed.',
		access: operators(),
		body: Type.Optional(Strict({ immediate: Type.Optional(Type.Boolean()) })),
		status: 200,
		response: SigningKeyList,
	}),
}
