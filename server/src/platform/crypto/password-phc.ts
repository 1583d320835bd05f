import { randomBytes } from 'node:crypto'

/** OWASP ASVS 5.0, appendix C: argon2id with at least 46 MiB and one pass. */
const current = { memory: 47_104, passes: 1, parallelism: 1 }

export interface PasswordRecord {
	/** KiB. */
	memory: number
	passes: number
	parallelism: number
	salt: Buffer
	hash: Buffer
}

/** The parameters of a new hash, with a salt of its own. */
export function newPasswordParameters(): Omit<PasswordRecord, 'hash'> {
	return { ...current, salt: randomBytes(16) }
}

/** The PHC string of a hash: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export function formatPhc({ memory, passes, parallelism, salt, hash }: PasswordRecord): string {
	return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(hash)}`
}

/** Throws on anything but a PHC string of argon2id. */
export function parsePhc(text: string): PasswordRecord {
	const match = text.match(/^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/)
	if (!match) throw new Error('The stored password hash has an unknown form.')
	const [, memory, passes, parallelism, salt, hash] = match as unknown as string[]
	return {
		memory: Number(memory),
		passes: Number(passes),
		parallelism: Number(parallelism),
		salt: Buffer.from(salt as string, 'base64'),
		hash: Buffer.from(hash as string, 'base64'),
	}
}

/** A hash that no password has; checking against it costs what checking a real one does. */
export function unmatchablePhc(): string {
	return formatPhc({ ...newPasswordParameters(), hash: randomBytes(32) })
}

function encode(bytes: Buffer): string {
	return bytes.toString('base64').replace(/=+$/, '')
}
