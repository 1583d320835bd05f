import type { IncomingMessage } from 'node:http'
import { hashToken } from '../../platform/crypto/token.ts'
import { Problem } from '../../platform/errors.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import type { OauthScope } from './metadata.ts'

/** What a client asks for, once it has been checked. Nothing is stored of it before somebody agrees. */
export interface AuthorizationRequest {
	/** Of this one visit to the consent page. */
	id: string
	issuer: string
	clientId: string
	clientName: string
	clientUri: string | null
	verifiedHost: string | null
	redirectUri: string
	state: string | null
	codeChallenge: string
	scopes: OauthScope[]
	resource: string
	/** The server of the resource, as its path names it; null for all of them. */
	server: string | null
	expiresAtMs: number
}

export const requestLifetimeMs = 10 * 60 * 1000

/** The request as text for the address of the consent page, good in one browser only. */
export function sealRequest(
	{ sealer }: AuthorizationContext,
	browser: string,
	request: AuthorizationRequest,
): string {
	return sealer.seal(JSON.stringify(request), contextOf(browser))
}

/** Throws `authorization_invalid` for another browser, after ten minutes, and for a text that was changed. */
export function openRequest(
	{ sealer, browserCookie, clock }: AuthorizationContext,
	http: IncomingMessage,
	sealed: string,
): AuthorizationRequest {
	const browser = browserCookie.read(http)
	if (browser === null) throw new Problem('authorization_invalid')
	const request = openOrNull(sealer, sealed, browser)
	if (!request || request.expiresAtMs <= clock.nowMs()) throw new Problem('authorization_invalid')
	return request
}

function openOrNull(
	sealer: AuthorizationContext['sealer'],
	sealed: string,
	browser: string,
): AuthorizationRequest | null {
	try {
		return JSON.parse(sealer.open(sealed, contextOf(browser))) as AuthorizationRequest
	} catch {
		return null
	}
}

function contextOf(browser: string) {
	return { workspaceId: '', kind: 'authorization_request', origin: '', id: hashToken(browser) }
}
