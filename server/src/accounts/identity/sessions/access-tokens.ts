import { createHash, sign, verify } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import { newId } from '../../../platform/ids.ts'
import type { SigningKey, TokenKeys } from './signing-keys.ts'

export interface AccessClaims {
	userId: string
	sessionId: string
	workspaceId: string
}

interface Known extends AccessClaims {
	keyId: string
	expiresAtMs: number
}

export interface AccessTokens {
	/** A JWT (ES256) for one workspace, valid for an hour. */
	issue(claims: AccessClaims): { token: string; expiresAtMs: number }
	/** The claims of a token, or null unless it is intact, issued by us and for us, of the right type and not expired. */
	verify(token: string): AccessClaims | null
}

const lifetimeMs = 60 * 60 * 1000
const audience = 'signalbox-api'
const tokenType = 'at+jwt'
const maxKnown = 10_000

/**
 * Issues tokens with the current signing key, and accepts all keys that have not expired. A verified token is cached by its full
 * SHA-256 until it expires.
 */
export function createAccessTokens(keys: TokenKeys, issuer: string, clock: Clock): AccessTokens {
	const known = new Map<string, Known>()
	return {
		issue: (claims) => issueToken(keys.signer(), claims, issuer, clock.nowMs()),
		verify: (token) => {
			const hash = createHash('sha256').update(token).digest('base64url')
			const claims = known.get(hash) ?? checkToken(token, keys, issuer)
			const lives = claims && claims.expiresAtMs > clock.nowMs() && keys.publicKey(claims.keyId)
			if (!claims || !lives) {
				known.delete(hash)
				return null
			}
			remember(known, hash, claims)
			return claims
		},
	}
}

function remember(known: Map<string, Known>, hash: string, claims: Known): void {
	if (known.has(hash)) return
	if (known.size >= maxKnown) known.delete(known.keys().next().value as string)
	known.set(hash, claims)
}

function issueToken(key: SigningKey, claims: AccessClaims, issuer: string, nowMs: number) {
	const issuedAtS = Math.floor(nowMs / 1000)
	const expiresAtMs = issuedAtS * 1000 + lifetimeMs
	const header = { alg: 'ES256', typ: tokenType, kid: key.id }
	const payload = {
		iss: issuer,
		aud: audience,
		sub: claims.userId,
		sid: claims.sessionId,
		workspace: claims.workspaceId,
		iat: issuedAtS,
		exp: expiresAtMs / 1000,
		jti: newId(nowMs),
	}
	const text = `${encode(header)}.${encode(payload)}`
	const signature = sign('sha256', Buffer.from(text), { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
	return { token: `${text}.${signature.toString('base64url')}`, expiresAtMs }
}

/** `kid` selects one of our own keys; everything else in the header (`jku`, `jwk`, `x5u`) is ignored. */
function checkToken(token: string, keys: TokenKeys, issuer: string): Known | null {
	const parts = token.match(/^([\w-]+)\.([\w-]+)\.([\w-]{86})$/)
	if (!parts) return null
	const [, head = '', body = '', signature = ''] = parts
	const header = decode(head)
	const keyId = typeof header?.kid === 'string' ? header.kid : ''
	const key = keys.publicKey(keyId)
	if (!key || header?.alg !== 'ES256' || header.typ !== tokenType || header.crit !== undefined) return null
	const signed = Buffer.from(`${head}.${body}`)
	if (!verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
		return null
	const claims = toClaims(decode(body), issuer)
	return claims && { ...claims, keyId }
}

function toClaims(payload: Record<string, unknown> | null, issuer: string): Omit<Known, 'keyId'> | null {
	if (payload?.iss !== issuer || payload.aud !== audience) return null
	const { sub, sid, workspace, exp } = payload
	if (
		typeof sub !== 'string' ||
		typeof sid !== 'string' ||
		typeof workspace !== 'string' ||
		typeof exp !== 'number'
	)
		return null
	return { userId: sub, sessionId: sid, workspaceId: workspace, expiresAtMs: exp * 1000 }
}

function encode(value: unknown): string {
	return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(text: string): Record<string, unknown> | null {
	try {
		const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
		return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
	} catch {
		return null
	}
}
