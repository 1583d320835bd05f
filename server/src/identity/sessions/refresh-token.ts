import { randomBytes } from 'node:crypto'
import { fromBase62, toBase62 } from '../../platform/crypto/base62.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { isToken, tokenOf } from '../../platform/crypto/token.ts'

const prefix = 'rt_service_'
const sessionDigits = 22
const secretDigits = 21

/**
 * A refresh token names its session (22 digits, a UUID) and carries a secret of 125 bits, so that a token from long ago
 * still tells which session to revoke.
 */
export function firstRefreshToken(sessionId: string): string {
	return assemble(sessionId, randomBytes(16))
}

/** The token after this one: always the same, so that a client whose answer got lost can ask again. */
export function successorOf(token: string, sessionId: string, sealer: Sealer): string {
	return assemble(sessionId, Buffer.from(sealer.mac('refresh-successor', token).slice(0, 32), 'hex'))
}

/** The session that a token of the right form names, or null. */
export function sessionIdOf(token: string): string | null {
	if (!isToken(token, prefix)) return null
	const value = fromBase62(token.slice(prefix.length, prefix.length + sessionDigits))
	const hex = value.toString(16).padStart(32, '0')
	if (hex.length > 32) return null
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function assemble(sessionId: string, secret: Buffer): string {
	const session = BigInt(`0x${sessionId.replaceAll('-', '')}`)
	return tokenOf(
		prefix,
		toBase62(session, sessionDigits) + toBase62(BigInt(`0x${secret.toString('hex')}`), secretDigits),
	)
}
