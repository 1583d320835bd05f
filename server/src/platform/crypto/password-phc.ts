import { randomBytes } from 'node:crypto'

/** OWASP ASVS 5.0, appendix C: argon2id with at least 46 MiB and one pass. */
export const recommendedMemoryKib = 47_104

export interface PasswordRecord {
	/** KiB. */
	memory: number
	passes: number
	parallelism: number
	salt: Buffer
	hash: Buffer
}

/** The parameters of a new hash, with a new salt. */
export function newPasswordParameters(memoryKib: number): Omit<PasswordRecord, 'hash'> {
	return { memory: memoryKib, passes: 1, parallelism: 1, salt: randomBytes(16) }
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

/** A hash that no password has. Checking against it takes as long as checking a real one. */
export function unmatchablePhc(memoryKib: number): string {
	return formatPhc({ ...newPasswordParameters(memoryKib), hash: randomBytes(32) })
}

function encode(bytes: Buffer): string {
	return bytes.toString('base64').replace(/=+$/, '')
}
