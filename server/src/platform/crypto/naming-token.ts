import type { TokenPrefix } from '@signalbox/contract'
import { fromBase62, toBase62 } from './base62.ts'
import { isToken, tokenOf } from './token.ts'

const idDigits = 22
const secretDigits = 21

/**
 * A secret that names its object: 22 digits for a UUID and 21 for 125 bits that nobody can guess, so that one from long
 * ago still tells what to revoke. `secret` has 16 bytes.
 */
export function namingToken(prefix: TokenPrefix, id: string, secret: Buffer): string {
	const named = BigInt(`0x${id.replaceAll('-', '')}`)
	return tokenOf(
		prefix,
		toBase62(named, idDigits) + toBase62(BigInt(`0x${secret.toString('hex')}`), secretDigits),
	)
}

/** The id in a token of the right form, or null. */
export function idNamedBy(token: string, prefix: TokenPrefix): string | null {
	if (!isToken(token, prefix)) return null
	const value = fromBase62(token.slice(prefix.length, prefix.length + idDigits))
	const hex = value.toString(16).padStart(32, '0')
	if (hex.length > 32) return null
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
