import { Type } from 'typebox'
import { operators } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const MasterKey = Strict(
	{
		key_id: Type.String({ description: 'Tells master keys apart; nothing can be learned from it' }),
		source: OneOf(['file', 'setting'], { description: '`master.key` of the data directory, or a setting' }),
		rotation: Nullable(
			Strict(
				{
					state: OneOf(['running', 'done']),
					done: Type.Integer({ description: 'Secrets sealed anew' }),
					total: Type.Integer({ description: 'Secrets that another key had sealed' }),
					error: Nullable(Type.String({ description: 'Why it does not go on' })),
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
				'next: known everywhere in a moment, then signs. verifying: until its last token has expired',
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
		summary: 'Which master key seals, and how far its rotation is',
		access: operators(),
		status: 200,
		response: MasterKey,
	}),
	rotateMasterKey: operation({
		id: 'instance.rotate-master-key',
		method: 'POST',
		path: '/v1/instance/master-key/rotate',
		summary: 'Replace the master key; every stored secret is sealed anew while the instance works',
		description:
			'Where the key comes from a setting this answers 409 and says what to do there. A rotation that is interrupted goes on at the next start.',
		access: operators(),
		status: 202,
		response: MasterKey,
	}),
	signingKeys: operation({
		id: 'instance.signing-keys',
		method: 'GET',
		path: '/v1/instance/signing-keys',
		summary: 'The keys of access tokens, newest first',
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
			'Happens by itself every 90 days. The new key signs after ten seconds; older ones verify until their last token has expired. With `immediate` they end at once, for a key that leaked: every access token is refused and has to be refreshed.',
		access: operators(),
		body: Type.Optional(Strict({ immediate: Type.Optional(Type.Boolean()) })),
		status: 200,
		response: SigningKeyList,
	}),
}
