import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** What a secret is bound to: it cannot be opened in another context. */
export interface SealContext {
	workspaceId: string
	/** `connection`, `server_headers`, `signing_key`, … */
	kind: string
	/** Scheme, host and port that the secret is sent to, or ''. */
	origin: string
	id: string
}

export interface Sealer {
	/** AES-256-GCM under a key per record, derived from the master key; base64url text. */
	seal(plain: string, context: SealContext): string
	/** Throws when the text was changed, or sealed for another context or by another master key. */
	open(sealed: string, context: SealContext): string
	/** HMAC-SHA256 under a key for `purpose`, which survives a change of the master key; hex. */
	mac(purpose: string, text: string): string
}

/** A sealer whose master key can be replaced while it is in use. */
export interface Keyring extends Sealer {
	/** Short id of the sealing key, hex. */
	readonly keyId: string
	/** Ids of all keys that can open, the sealing one first. */
	readonly keyIds: readonly string[]
	/** Seals with this key from now on; the others can still open. */
	add(masterKey: Buffer): void
	/** Forgets every key but the sealing one. */
	forgetOlder(): void
	/** Whether a text was sealed by the current sealing key. */
	isCurrent(sealed: string): boolean
	/** `mac` uses keys derived from this root from now on. */
	useMacRoot(root: Buffer): void
}

interface RingKey {
	id: Buffer
	bytes: Buffer
}

const version = 1

/** Seals with a 32-byte master key. Layout: version (1) | key id (4) | salt (16) | nonce (12) | tag (16) | text. */
export function createSealer(masterKey: Buffer): Sealer {
	return createKeyring([masterKey])
}

/** Seals with the first of these keys and opens with any of them. */
export function createKeyring(masterKeys: readonly [Buffer, ...Buffer[]]): Keyring {
	let keys = masterKeys.map(toRingKey)
	let macRoot = macRootOf(masterKeys[0])
	let macKeys = new Map<string, Buffer>()
	const newest = () => keys[0] as RingKey
	return {
		get keyId() {
			return newest().id.toString('hex')
		},
		get keyIds() {
			return keys.map(({ id }) => id.toString('hex'))
		},
		add: (masterKey) => {
			const added = toRingKey(masterKey)
			keys = [added, ...keys.filter(({ id }) => !id.equals(added.id))]
		},
		forgetOlder: () => {
			keys = [newest()]
		},
		isCurrent: (sealed) => keyIdIn(Buffer.from(sealed, 'base64url')).equals(newest().id),
		useMacRoot: (root) => {
			macRoot = root
			macKeys = new Map()
		},
		seal: (plain, context) => sealWith(newest(), plain, context),
		open: (sealed, context) => openWith(keys, Buffer.from(sealed, 'base64url'), context),
		mac: (purpose, text) => {
			const key = macKeys.get(purpose) ?? macKeyOf(macRoot, purpose)
			macKeys.set(purpose, key)
			return createHmac('sha256', key).update(text).digest('hex')
		},
	}
}

/**
 * The root of `mac`'s keys: the extract step of HKDF (RFC 5869 §2.2, no salt). It reveals nothing about the master key, so it can
 * be kept when that one is replaced.
 */
export function macRootOf(masterKey: Buffer): Buffer {
	return createHmac('sha256', Buffer.alloc(32)).update(masterKey).digest()
}

/** The expand step of HKDF, for one block. */
function macKeyOf(root: Buffer, purpose: string): Buffer {
	return createHmac('sha256', root).update(`signalbox:mac:${purpose}\u0001`).digest()
}

function toRingKey(masterKey: Buffer): RingKey {
	if (masterKey.length !== 32) throw new Error('The master key must have 32 bytes.')
	return { bytes: masterKey, id: derive(masterKey, Buffer.alloc(0), 'key-id', 4) }
}

function keyIdIn(bytes: Buffer): Buffer {
	return bytes.subarray(1, 5)
}

function sealWith(key: RingKey, plain: string, context: SealContext): string {
	const salt = randomBytes(16)
	const nonce = randomBytes(12)
	const cipher = createCipheriv('aes-256-gcm', derive(key.bytes, salt, 'seal', 32), nonce)
	cipher.setAAD(associatedData(context))
	const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
	const parts = [Buffer.from([version]), key.id, salt, nonce, cipher.getAuthTag(), text]
	return Buffer.concat(parts).toString('base64url')
}

function openWith(keys: readonly RingKey[], bytes: Buffer, context: SealContext): string {
	const key = keys.find(({ id }) => id.equals(keyIdIn(bytes)))
	if (bytes[0] !== version || !key) throw new Error('Sealed by another master key.')
	const recordKey = derive(key.bytes, bytes.subarray(5, 21), 'seal', 32)
	const decipher = createDecipheriv('aes-256-gcm', recordKey, bytes.subarray(21, 33))
	decipher.setAAD(associatedData(context))
	decipher.setAuthTag(bytes.subarray(33, 49))
	return Buffer.concat([decipher.update(bytes.subarray(49)), decipher.final()]).toString('utf8')
}

function derive(masterKey: Buffer, salt: Buffer, purpose: string, bytes: number): Buffer {
	return Buffer.from(hkdfSync('sha256', masterKey, salt, `signalbox:${purpose}`, bytes))
}

/** Length-prefixed, so that no two contexts have the same encoding. */
function associatedData(context: SealContext): Buffer {
	return Buffer.from(JSON.stringify([context.workspaceId, context.kind, context.origin, context.id]))
}
