import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { appendChange, type ChangeKind, lockNumbering, type View } from '../../../platform/changes.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { type ControlStore, type DatabaseTransaction, transact } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { newId } from '../../../platform/ids.ts'
import { deleteSigningKey, insertSigningKey, listSigningKeys } from './session-repository.ts'

type SigningKeyRow = ControlSchema['signing_keys']

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
	publicKey: KeyObject
	privateKey: KeyObject
	createdAtMs: number
}

/** The keys for issuing and verifying tokens. */
export interface TokenKeys {
	/** The current signing key. */
	signer(): SigningKey
	/** The key of a `kid`; undefined if it is not ours or has expired. */
	publicKey(id: string): KeyObject | undefined
}

/** How long a new key is published before it signs, so that other processes know it by then. */
export const publishedFirstMs = 10_000
/** A key expires when the last token that it signed has expired, plus a minute for clock skew. */
const verifiesForMs = publishedFirstMs + 61 * 60_000
const lifetimeMs = 90 * 24 * 60 * 60 * 1000

const sealContext = (id: string) => ({ workspaceId: '', kind: 'signing_key', origin: '', id })

/** The instance's keys for access tokens, in memory and identical on all nodes. */
export class SigningKeys implements View, TokenKeys {
	readonly kinds: readonly ChangeKind[] = ['signing_key']
	readonly #store: ControlStore
	readonly #sealer: Sealer
	readonly #clock: Clock
	/** Newest first. */
	#keys: SigningKey[] = []

	constructor(store: ControlStore, sealer: Sealer, clock: Clock) {
		this.#store = store
		this.#sealer = sealer
		this.#clock = clock
	}

	/** The first start of an instance creates the first key. */
	async load(): Promise<void> {
		const stored = await listSigningKeys(this.#store.db)
		const rows = stored.length > 0 ? stored : await this.#createFirst()
		this.#keys = rows.map((row) => openKey(row, this.#sealer))
	}

	apply(): Promise<void> {
		return this.load()
	}

	signer(): SigningKey {
		const known = this.#clock.nowMs() - publishedFirstMs
		const key = this.#keys.find(({ createdAtMs }) => createdAtMs <= known) ?? this.#keys.at(-1)
		if (!key) throw new Error('The instance has no signing key.')
		return key
	}

	publicKey(id: string): KeyObject | undefined {
		return this.#keys.find((key) => key.id === id)?.publicKey
	}

	get all(): readonly SigningKey[] {
		return this.#keys
	}

	/** Adds a key in the caller's transaction; with `immediate` all others expire now. */
	async rotate(tx: DatabaseTransaction, immediate: boolean): Promise<string> {
		const row = newKeyRow(this.#sealer, this.#clock)
		const before = immediate ? await listSigningKeys(tx) : []
		await insertSigningKey(tx, row)
		for (const { id } of before) await deleteSigningKey(tx, id)
		await appendChange(tx, 'signing_key', row.id, this.#clock)
		return row.id
	}

	/** Whether the newest key is 90 days old. */
	isDue(): boolean {
		const [newest] = this.#keys
		return newest !== undefined && newest.createdAtMs + lifetimeMs <= this.#clock.deletionMs()
	}

	/** Deletes keys whose last token has expired. */
	async deleteEnded(tx: DatabaseTransaction): Promise<void> {
		const before = this.#clock.deletionMs() - verifiesForMs
		const rows = await listSigningKeys(tx)
		const ended = rows.filter(
			(_, index) => (rows[index - 1]?.created_at ?? Number.POSITIVE_INFINITY) <= before,
		)
		for (const { id } of ended) {
			await deleteSigningKey(tx, id)
			await appendChange(tx, 'signing_key', id, this.#clock)
		}
	}

	#createFirst(): Promise<SigningKeyRow[]> {
		return transact(this.#store.db, async (tx) => {
			await lockNumbering(tx)
			const made = await listSigningKeys(tx)
			if (made.length > 0) return made
			const row = newKeyRow(this.#sealer, this.#clock)
			await insertSigningKey(tx, row)
			return [row]
		})
	}
}

function newKeyRow(sealer: Sealer, clock: Clock): SigningKeyRow {
	const id = newId(clock.nowMs())
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
	const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid: id, alg: 'ES256', use: 'sig' }
	const sealed = sealer.seal(JSON.stringify(privateKey.export({ format: 'jwk' })), sealContext(id))
	return { id, public_jwk: JSON.stringify(publicJwk), sealed_private_jwk: sealed, created_at: clock.nowMs() }
}

function openKey(row: SigningKeyRow, sealer: Sealer): SigningKey {
	const privateJwk: unknown = JSON.parse(sealer.open(row.sealed_private_jwk, sealContext(row.id)))
	const publicJwk = JSON.parse(row.public_jwk) as PublicJwk
	return {
		id: row.id,
		publicJwk,
		publicKey: createPublicKey({ key: publicJwk as never, format: 'jwk' }),
		privateKey: createPrivateKey({ key: privateJwk as never, format: 'jwk' }),
		createdAtMs: row.created_at,
	}
}
