import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** What a secret is bound to: sealed for one place, it opens nowhere else. */
export interface SealContext {
	workspaceId: string
	/** `connection`, `server_headers`, `signing_key`, … */
	kind: string
	/** Scheme, host and port that the secret is for, or ''. */
	origin: string
	id: string
}

export interface Sealer {
	/** AES-256-GCM under a key of the record's own, derived from the master key; base64url text. */
	seal(plain: string, context: SealContext): string
	/** Throws when the text was changed or sealed for another context or by another master key. */
	open(sealed: string, context: SealContext): string
	/** HMAC-SHA256 under a key derived for `purpose`; hex. */
	mac(purpose: string, text: string): string
}

const version = 1

/** Seals with a 32-byte master key. Layout: version (1) | key id (4) | salt (16) | nonce (12) | tag (16) | text. */
export function createSealer(masterKey: Buffer): Sealer {
	if (masterKey.length !== 32) throw new Error('The master key must have 32 bytes.')
	const keyId = derive(masterKey, Buffer.alloc(0), 'key-id', 4)
	return {
		seal: (plain, context) => {
			const salt = randomBytes(16)
			const nonce = randomBytes(12)
			const cipher = createCipheriv('aes-256-gcm', derive(masterKey, salt, 'seal', 32), nonce)
			cipher.setAAD(associatedData(context))
			const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
			return Buffer.concat([Buffer.from([version]), keyId, salt, nonce, cipher.getAuthTag(), text]).toString(
				'base64url',
			)
		},
		open: (sealed, context) => {
			const bytes = Buffer.from(sealed, 'base64url')
			if (bytes[0] !== version || !bytes.subarray(1, 5).equals(keyId))
				throw new Error('Sealed by another master key.')
			const decipher = createDecipheriv(
				'aes-256-gcm',
				derive(masterKey, bytes.subarray(5, 21), 'seal', 32),
				bytes.subarray(21, 33),
			)
			decipher.setAAD(associatedData(context))
			decipher.setAuthTag(bytes.subarray(33, 49))
			return Buffer.concat([decipher.update(bytes.subarray(49)), decipher.final()]).toString('utf8')
		},
		mac: (purpose, text) =>
			createHmac('sha256', derive(masterKey, Buffer.alloc(0), `mac:${purpose}`, 32))
				.update(text)
				.digest('hex'),
	}
}

function derive(masterKey: Buffer, salt: Buffer, purpose: string, bytes: number): Buffer {
	return Buffer.from(hkdfSync('sha256', masterKey, salt, `signalbox:${purpose}`, bytes))
}

/** Length-prefixed, so that no two contexts share a text. */
function associatedData(context: SealContext): Buffer {
	return Buffer.from(JSON.stringify([context.workspaceId, context.kind, context.origin, context.id]))
}
