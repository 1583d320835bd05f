import { randomBytes } from 'node:crypto'
import { tokenPrefixes } from '@signalbox/contract'
import { toBase62 } from '../../../platform/crypto/base62.ts'
import { idNamedBy, namingToken } from '../../../platform/crypto/naming-token.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { tokenOf } from '../../../platform/crypto/token.ts'

const refreshPrefix = tokenPrefixes.refreshToken

/** A refresh token names its grant, so that one from long ago still tells which grant to revoke. */
export function firstRefreshToken(grantId: string): string {
	return namingToken(refreshPrefix, grantId, randomBytes(16))
}

/** The refresh token after this one: always the same, so that a client whose answer got lost can ask again. */
export function successorOf(sealer: Sealer, refreshToken: string, grantId: string): string {
	const secret = Buffer.from(sealer.mac('oauth-refresh-successor', refreshToken).slice(0, 32), 'hex')
	return namingToken(refreshPrefix, grantId, secret)
}

/** The access token that goes with a refresh token. */
export function accessTokenOf(sealer: Sealer, refreshToken: string): string {
	const secret = BigInt(`0x${sealer.mac('oauth-access', refreshToken)}`)
	return tokenOf(tokenPrefixes.accessToken, toBase62(secret, 43))
}

/** The grant that a refresh token of the right form names, or null. */
export function grantIdOf(refreshToken: string): string | null {
	return idNamedBy(refreshToken, refreshPrefix)
}
