import { randomBytes } from 'node:crypto'
import { tokenPrefixes } from '@signalbox/contract'
import { idNamedBy, namingToken } from '../../../platform/crypto/naming-token.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'

const prefix = tokenPrefixes.session

/** A refresh token names its session, so that one from long ago still tells which session to revoke. */
export function firstRefreshToken(sessionId: string): string {
	return namingToken(prefix, sessionId, randomBytes(16))
}

/** The token after this one: always the same, so that a client whose answer got lost can ask again. */
export function successorOf(token: string, sessionId: string, sealer: Sealer): string {
	const secret = Buffer.from(sealer.mac('refresh-successor', token).slice(0, 32), 'hex')
	return namingToken(prefix, sessionId, secret)
}

/** The session that a token of the right form names, or null. */
export function sessionIdOf(token: string): string | null {
	return idNamedBy(token, prefix)
}
