import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { lockNumbering } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { ControlSchema, ControlStore } from '../../platform/database/index.ts'
import { newId } from '../../platform/ids.ts'
import { insertSigningKey, listSigningKeys } from './repository.ts'

export interface PublicJwk {
	kty: string
	crv: string
	x: string
	y: string
	kid: string
	alg: string
	use: string
}

export interface SigningKey {
	id: string
	publicJwk: PublicJwk
	privateKey: KeyObject
}

const sealContext = (id: string) => ({ workspaceId: '', kind: 'signing_key', origin: '', id })

/** The instance's keys for access tokens, newest first; the first start makes one, the same for all nodes. */
export async function loadSigningKeys(
	store: ControlStore,
	sealer: Sealer,
	clock: Clock,
): Promise<SigningKey[]> {
	const stored = await listSigningKeys(store.db)
	const rows = stored.length > 0 ? stored : await createFirst(store, sealer, clock)
	return rows.map((row) => openKey(row, sealer))
}

function createFirst(
	store: ControlStore,
	sealer: Sealer,
	clock: Clock,
): Promise<ControlSchema['signing_keys'][]> {
	return store.db.transaction().execute(async (tx) => {
		await lockNumbering(tx)
		const made = await listSigningKeys(tx)
		if (made.length > 0) return made
		const row = newKeyRow(sealer, clock)
		await insertSigningKey(tx, row)
		return [row]
	})
}

function newKeyRow(sealer: Sealer, clock: Clock): ControlSchema['signing_keys'] {
	const id = newId(clock.nowMs())
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
	const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid: id, alg: 'ES256', use: 'sig' }
	const sealed = sealer.seal(JSON.stringify(privateKey.export({ format: 'jwk' })), sealContext(id))
	return { id, public_jwk: JSON.stringify(publicJwk), sealed_private_jwk: sealed, created_at: clock.nowMs() }
}

function openKey(row: ControlSchema['signing_keys'], sealer: Sealer): SigningKey {
	const privateJwk: unknown = JSON.parse(sealer.open(row.sealed_private_jwk, sealContext(row.id)))
	return {
		id: row.id,
		publicJwk: JSON.parse(row.public_jwk) as PublicJwk,
		privateKey: createPrivateKey({ key: privateJwk as never, format: 'jwk' }),
	}
}
