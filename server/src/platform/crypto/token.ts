import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { TokenPrefix } from '@signalbox/contract'

const base62Alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The low digits of a number in base62, with leading zeros. */
export function toBase62(value: bigint, digits: number): string {
	let text = ''
	for (let rest = value; text.length < digits; rest /= 62n) text = base62Alphabet[Number(rest % 62n)] + text
	return text
}

/** The number that base62 text represents; every character must be in base62Alphabet. */
export function fromBase62(text: string): bigint {
	let value = 0n
	for (const digit of text) value = value * 62n + BigInt(base62Alphabet.indexOf(digit))
	return value
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const bodyLength = 43
const checkLength = 6

/** A new secret: prefix, 43 random base62 characters (256 bits), and a 6-character CRC32 in base62. */
export function newToken(prefix: TokenPrefix): string {
	let body = ''
	for (let index = 0; index < bodyLength; index += 1) body += alphabet[randomInt(62)]
	return tokenOf(prefix, body)
}

/** The token with the given body of 43 base62 characters. */
export function tokenOf(prefix: TokenPrefix, body: string): string {
	return prefix + body + checksumOf(prefix + body)
}

/** Whether a text has the format and checksum of a secret of this kind; needs no read of the store. */
export function isToken(text: string, prefix: TokenPrefix): boolean {
	if (text.length !== prefix.length + bodyLength + checkLength || !text.startsWith(prefix)) return false
	const cut = text.length - checkLength
	return (
		/^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) && checksumOf(text.slice(0, cut)) === text.slice(cut)
	)
}

/**
 * Recognises placeholders such as samples in documentation: 43 random characters have fewer than 16 distinct ones less than once in
 * 10^12 tokens.
 */
export function isMadeUpToken(text: string): boolean {
	return new Set(text.slice(-bodyLength - checkLength, -checkLength)).size < 16
}

/** The stored form of a secret. It has 256 random bits, so a plain hash is enough. */
export function hashToken(text: string): string {
	return hash('sha256', text, 'hex')
}

function checksumOf(text: string): string {
	let rest = crc32(text)
	let digits = ''
	for (let index = 0; index < checkLength; index += 1) {
		digits = alphabet[rest % 62] + digits
		rest = Math.floor(rest / 62)
	}
	return digits
}

const idDigits = 22
const secretDigits = 21

/**
 * A token that contains the id of its object: 22 digits for a UUID, then 21 for 125 unguessable bits. Even an old token thus says
 * what to revoke. `secret` has 16 bytes.
 */
export function namingToken(prefix: TokenPrefix, id: string, secret: Buffer): string {
	const named = BigInt(`0x${id.replaceAll('-', '')}`)
	return tokenOf(
		prefix,
		toBase62(named, idDigits) + toBase62(BigInt(`0x${secret.toString('hex')}`), secretDigits),
	)
}

/** The id in a token of the right format, or null. */
export function idNamedBy(token: string, prefix: TokenPrefix): string | null {
	if (!isToken(token, prefix)) return null
	const value = fromBase62(token.slice(prefix.length, prefix.length + idDigits))
	const hex = value.toString(16).padStart(32, '0')
	if (hex.length > 32) return null
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
