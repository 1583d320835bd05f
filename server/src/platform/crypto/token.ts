import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { TokenPrefix } from '@signalbox/contract'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const bodyLength = 43
const checkLength = 6

/** A new secret: prefix, 43 random base62 characters (256 bits), and a 6-character CRC32 in base62. */
export function newToken(prefix: TokenPrefix): string {
	let body = ''
	for (let index = 0; index < bodyLength; index += 1) body += alphabet[randomInt(62)]
	return tokenOf(prefix, body)
}

/** The token with a given body of 43 base62 characters. */
export function tokenOf(prefix: TokenPrefix, body: string): string {
	return prefix + body + checksumOf(prefix + body)
}

/** Whether a text has the form and the checksum of a secret of this kind; costs no store a read. */
export function isToken(text: string, prefix: TokenPrefix): boolean {
	if (text.length !== prefix.length + bodyLength + checkLength || !text.startsWith(prefix)) return false
	const cut = text.length - checkLength
	return (
		/^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) && checksumOf(text.slice(0, cut)) === text.slice(cut)
	)
}

/** A sample from a page, say: 43 random characters have fewer than 16 different ones less than once in 10^12 tokens. */
export function isMadeUpToken(text: string): boolean {
	return new Set(text.slice(-bodyLength - checkLength, -checkLength)).size < 16
}

/** What is stored in place of a secret. The secret has 256 random bits, so a plain hash is enough. */
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
