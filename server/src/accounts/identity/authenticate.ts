import type { IncomingMessage } from 'node:http'
import { people, tokenPrefixes } from '@signalbox/contract'
import { hashToken, isToken } from '../../platform/crypto/token.ts'
import { Problem } from '../../platform/errors.ts'
import type { Authenticate } from '../../platform/http/ingress.ts'
import { CallerRefused, type Principal, type UserPrincipal } from '../../platform/http/principal.ts'
import { type Route, unauthenticated } from '../../platform/http/route.ts'
import { LaneRequest } from '../../platform/http1/lane-request.ts'
import type { LastUses } from '../../platform/last-uses.ts'
import {
	type CredentialEntry,
	type KnownSecret,
	lostScope,
	secretOf,
} from './credentials/credential-entry.ts'
import { audienceOf } from './credentials/oauth-tokens.ts'
import type { IdentityContext } from './identity-context.ts'
import type { AccessClaims } from './sessions/access-tokens.ts'
import { refuseForeignPage } from './sessions/cookies.ts'

type Found = Principal | null | Promise<Principal | null>

/** When each session and each credential was last used. */
type Uses = Record<'sessions' | 'keys', Pick<LastUses, 'note'>>

/** Identifies the caller, and records the use of its credential. Synchronous for every credential that the view knows. */
export function createAuthenticate(context: IdentityContext, uses: Uses): Authenticate {
	const noteUse = (principal: Principal) =>
		principal.kind === 'user'
			? uses.sessions.note(principal.sessionId)
			: uses.keys.note(principal.keyId, principal.workspaceId)
	return (request, route, clientAddress) => {
		const found = findPrincipal(context, request, route, clientAddress)
		if (found instanceof Promise)
			return found.then((principal) => {
				if (principal === null) throw unauthenticated(route, 'unaccepted')
				noteUse(principal)
				return principal
			})
		if (found === null && sendsOne(context, request, route)) throw unauthenticated(route, 'unaccepted')
		if (found !== null) noteUse(found)
		return found
	}
}

function sendsOne({ cookies }: IdentityContext, request: IncomingMessage, route: CredentialRules): boolean {
	if (presentedIn(request, route).kind !== 'none') return true
	return takesCookies(route) && cookies.access(request) !== null
}

function findPrincipal(
	context: IdentityContext,
	request: IncomingMessage,
	route: CredentialRules,
	clientAddress: string,
): Found {
	const presented = presentedIn(request, route)
	if (presented.kind === 'unusable') return null
	if (presented.kind === 'none') return byCookie(context, request, route)
	if (context.feed.isStale()) throw stale()
	const { kind } = presented
	const audience = kind === 'oauth_token' ? audienceOf(context.config.PUBLIC_URL, request) : null
	const found =
		kind === 'access_token'
			? byAccessToken(context, presented.secret)
			: byKey(context, presented.hash, { clientAddress, audience })
	const named = route.family === 'api' ? request.headers[workspaceHeader] : undefined
	if (named === undefined) return found
	return found instanceof Promise
		? found.then((principal) => requireWorkspace(principal, named))
		: requireWorkspace(found, named)
}

/** A request may name its intended workspace by id; a credential of another one is refused. */
const workspaceHeader = 'x-signalbox-workspace'

function requireWorkspace(principal: Principal | null, named: string | string[]): Principal | null {
	if (principal && principal.workspaceId !== named) throw new Problem('workspace_mismatch')
	return principal
}

/** The signed-in person who sends a request to a public route, or null; throws like `authenticate`. */
export async function personIn(
	context: IdentityContext,
	request: IncomingMessage,
	clientAddress: string,
): Promise<UserPrincipal | null> {
	const found = await findPrincipal(context, request, { access: people(), family: 'api' }, clientAddress)
	return found?.kind === 'user' ? found : null
}

/** Outdated permissions are worse than none. */
function stale(): Problem {
	return new Problem('stale_permissions', undefined, { retryAfterS: 1 })
}

/** Where a secret is used: from which client address, and for OAuth access tokens at which of our URLs. */
interface Use {
	clientAddress: string
	audience: string | null
}

function byKey(context: IdentityContext, hash: string, use: Use): Found {
	const known = context.view.secretByHash(hash)
	if (known) return usable(context, known, use)
	return caughtUp(context, () => {
		const found = context.view.secretByHash(hash)
		return found ? usable(context, found, use) : null
	})
}

/**
 * Another node may have created it a moment ago, so an unknown credential is looked up again after one read of the changes. All
 * waiting requests share that read, and only a valid checksum or signature leads to it.
 */
async function caughtUp(context: IdentityContext, find: () => Principal | null): Promise<Principal | null> {
	try {
		await context.feed.catchUp()
	} catch (error) {
		throw new Problem('stale_permissions', undefined, { retryAfterS: 1, cause: error })
	}
	return find()
}

function usable(context: IdentityContext, known: KnownSecret, { clientAddress, audience }: Use): Principal {
	const { credential, principal } = known
	const nowMs = context.clock.nowMs()
	const problem = endOf(credential, known, nowMs) ?? endOfDelegation(context, principal)
	if (problem) throw problem
	if (credential.audience !== audience) throw invalidToken(wrongAudience(credential.audience))
	if (credential.allowsAddress?.(clientAddress) === false)
		throw new CallerRefused(principal, 'address_not_allowed', wrongAddress(clientAddress))
	if (known.role === 'next') context.activation.note(known)
	return principal
}

const replaceIt = 'Replace it with a new one, or connect the client again.'
const revoked = `This credential was revoked. ${replaceIt}`

/** A client that omits `resource` (RFC 8707) gets a token for `/mcp`, whatever address it was given. */
function wrongAudience(audience: string | null): string {
	const its = audience === null ? 'another address' : `${audience} alone`
	return `This access token is for ${its}. Connect the client to that address, or use an agent key.`
}

/** Why a credential, or the secret of it that was used, is no longer valid; null if both are. A rotation ends a secret. */
function endOf(
	entry: Pick<CredentialEntry, 'revoked' | 'expiresAtMs'>,
	secret: Pick<KnownSecret, 'endsAtMs'> | undefined,
	nowMs: number,
): Problem | null {
	if (entry.revoked) return invalidToken(revoked)
	if (entry.expiresAtMs !== null && entry.expiresAtMs <= nowMs)
		return invalidToken(`This credential has expired. ${replaceIt}`)
	const lives = secret && (secret.endsAtMs === null || secret.endsAtMs > nowMs)
	return lives ? null : invalidToken('This secret was rotated. Use the new one.')
}

/** A client acts for a person, who must still be a member; null for keys. */
function endOfDelegation({ view }: Pick<IdentityContext, 'view'>, principal: Principal): Problem | null {
	if (principal.kind !== 'agent_key' || !principal.delegatedBy) return null
	const person = view.user(principal.delegatedBy.userId)
	if (!person?.roles.has(principal.workspaceId))
		return invalidToken('The person who connected this client is no member any more.')
	principal.delegatedBy.email = person.email
	return null
}

function invalidToken(detail: string): Problem {
	const challenge = 'Bearer realm="signalbox", error="invalid_token"'
	return new Problem('unauthenticated', detail, { headers: { 'www-authenticate': challenge } })
}

function takesCookies({ family, access }: CredentialRules): boolean {
	return family === 'api' && !access.public && access.kinds.includes('user')
}

/** Authenticates by the dashboard's cookie, on platform API routes that accept people. */
function byCookie(context: IdentityContext, request: IncomingMessage, route: CredentialRules): Found {
	if (!takesCookies(route)) return null
	const token = context.cookies.access(request)
	if (token === null) return null
	refuseForeignPage(request)
	if (context.feed.isStale()) throw stale()
	return byAccessToken(context, token, namedBy(request))
}

/**
 * The workspace displayed by a page of the dashboard. All tabs of a browser share one cookie, so without it a change could be
 * applied to a workspace that was selected in another tab.
 */
function namedBy(request: IncomingMessage): string | null {
	const named = request.headers[workspaceHeader]
	if (typeof named === 'string') return named
	const changes = request.method !== 'GET' && request.method !== 'HEAD'
	if (changes && !request.url?.startsWith('/auth/'))
		throw new Problem('workspace_mismatch', `Name the workspace that the page shows in ${workspaceHeader}.`)
	return null
}

/** @param named a workspace of the same person that replaces the token's own */
function byAccessToken(context: IdentityContext, token: string, named: string | null = null): Found {
	const verified = context.accessTokens.verify(token)
	if (!verified) return null
	const claims = named === null ? verified : { ...verified, workspaceId: named }
	const find = () => {
		const user = userOf(context, claims)
		if (!user && named !== null && userOf(context, verified)) throw new Problem('workspace_mismatch')
		return user
	}
	const isKnown = context.view.session(claims.sessionId) && context.view.user(claims.userId)
	return isKnown ? find() : caughtUp(context, find)
}

/** The person of a verified token, with their current role and rights. */
function userOf({ view, clock }: IdentityContext, claims: AccessClaims): UserPrincipal | null {
	const session = view.session(claims.sessionId)
	const user = view.user(claims.userId)
	const role = user?.roles.get(claims.workspaceId)
	if (!session || session.revoked || session.expiresAtMs <= clock.nowMs()) return null
	if (!user || !role || session.userId !== user.id) return null
	const { userId, workspaceId, sessionId } = claims
	return { kind: 'user', userId, email: user.email, workspaceId, role, operator: user.operator, sessionId }
}

function wrongAddress(clientAddress: string): string {
	return `This credential may not be used from ${clientAddress}.`
}

/** Checks again whether the caller of a running request may use its credential from its address. */
export function stillAllowedFrom(
	{ view }: Pick<IdentityContext, 'view'>,
	principal: Principal,
	clientAddress: string,
): Problem | null {
	if (principal.kind === 'user') return null
	const isRefused = view.credential(principal.keyId)?.allowsAddress?.(clientAddress) === false
	return isRefused ? new Problem('address_not_allowed', wrongAddress(clientAddress)) : null
}

/** Checks the caller of a running request again. */
export function stillValid({ view, clock }: IdentityContext, principal: Principal): Problem | null {
	if (principal.kind === 'user') {
		const now = userOf({ view, clock } as IdentityContext, principal)
		if (!now) return invalidToken('The session has ended.')
		const isSame = now.role === principal.role && (now.operator || !principal.operator)
		return isSame ? null : new Problem('forbidden', 'Your role has changed.')
	}
	const entry = view.credential(principal.keyId)
	if (!entry) return invalidToken(revoked)
	const nowMs = clock.nowMs()
	const ended = endOf(entry, secretOf(entry, principal.fingerprint), nowMs)
	const lost = ended ? null : lostScope(entry, principal)
	if (lost) return new Problem('forbidden', `The key has lost the scope ${lost}.`)
	return ended ?? endOfDelegation({ view }, principal)
}

/**
 * Checks the caller of a running call again. The access token of a connected client is replaced every hour, beside what runs, so
 * its expiry ends no call; the end of the connection does.
 */
export function mayFinish(context: IdentityContext, principal: Principal): Problem | null {
	if (principal.kind !== 'agent_key' || !principal.delegatedBy) return stillValid(context, principal)
	const entry = context.view.credential(principal.keyId)
	if (!entry || entry.revoked) return invalidToken(revoked)
	return endOfDelegation(context, principal)
}

/** The parts of a route that determine which credentials it accepts, and where. */
type CredentialRules = Pick<Route, 'access' | 'family' | 'modelCredentials'>

/** Where a value was found in a request. */
type Place =
	| 'bearer'
	| 'bare'
	| 'basic'
	| 'x-service-api-key'
	| 'x-api-key'
	| 'x-goog-api-key'
	| 'api-key'
	| 'query'

interface Value {
	place: Place
	text: string
}

type Presented =
	| { kind: 'access_token'; secret: string }
	/** Identified by the hash of its secret. */
	| { kind: 'key' | 'oauth_token'; hash: string }
	/** An invalid credential was sent: the response is 401, and cookies are ignored. */
	| { kind: 'unusable' }
	| { kind: 'none' }

const keyPlaces: readonly Place[] = [
	'x-service-api-key',
	'bearer',
	'x-api-key',
	'x-goog-api-key',
	'api-key',
	'query',
]
const ourPrefixes = [tokenPrefixes.key, tokenPrefixes.ingestToken, tokenPrefixes.accessToken]
const ingestPlaces: readonly Place[] = ['bearer', 'bare', 'x-api-key', 'basic']

/** A cache for repeated heads on a connection, which always contain the same credential. */
const presentedAgain = new WeakMap<object, { route: CredentialRules; presented: Presented }>()

function presentedIn(request: IncomingMessage, route: CredentialRules): Presented {
	const headKey =
		(request as unknown) instanceof LaneRequest ? (request as unknown as LaneRequest).headKey : null
	if (headKey === null) return findPresented(request, route)
	const known = presentedAgain.get(headKey)
	if (known?.route === route) return known.presented
	const presented = findPresented(request, route)
	presentedAgain.set(headKey, { route, presented })
	return presented
}

/**
 * Finds the only credential of ours in a request; 400 if there are two, even equal ones. A value that does not look like ours is
 * ignored: on model routes a caller may send a provider's key along with the platform key.
 */
function findPresented(request: IncomingMessage, route: CredentialRules): Presented {
	const values = collect(request, route)
	const ours = values.filter((value) => isOurs(value, route))
	if (ours.length > 1)
		throw new Problem('ambiguous_credentials', 'Send one credential in exactly one header.')
	const [found] = ours
	if (!found) return values.length > 0 ? { kind: 'unusable' } : { kind: 'none' }
	return toPresented(found, route)
}

function toPresented({ place, text }: Value, route: CredentialRules): Presented {
	if (isToken(text, tokenPrefixes.key) && keyPlaces.includes(place))
		return { kind: 'key', hash: hashToken(text) }
	if (isToken(text, tokenPrefixes.ingestToken) && ingestPlaces.includes(place))
		return { kind: 'key', hash: hashToken(text) }
	if (isToken(text, tokenPrefixes.accessToken) && place === 'bearer' && route.family === 'mcp')
		return { kind: 'oauth_token', hash: hashToken(text) }
	if (isJwt(text) && place === 'bearer') return { kind: 'access_token', secret: text }
	return { kind: 'unusable' }
}

/** A mistyped key of ours is still ours: it must not be forwarded to a provider. */
function isOurs({ place, text }: Value, route: CredentialRules): boolean {
	if (ourPrefixes.some((prefix) => text.startsWith(prefix))) return true
	return place === 'bearer' && isJwt(text) && !route.access.public && route.access.kinds.includes('user')
}

function isJwt(text: string): boolean {
	return text.startsWith('eyJ') && text.split('.').length === 3
}

/** Read from the raw headers, since node:http keeps only the first of several Authorization headers. */
function collect(request: IncomingMessage, route: CredentialRules): Value[] {
	const values: Value[] = []
	const raw = request.rawHeaders
	for (let index = 0; index < raw.length; index += 2) {
		const place = placeOf(raw[index] as string, route)
		if (place === 'authorization') values.push(fromAuthorization(raw[index + 1] as string))
		else if (place) values.push({ place, text: raw[index + 1] as string })
	}
	if (route.modelCredentials) values.push(...fromQuery(request.url ?? ''))
	return values
}

function placeOf(header: string, route: CredentialRules): Place | 'authorization' | null {
	switch (header.length) {
		case 7:
			return route.modelCredentials && header.toLowerCase() === 'api-key' ? 'api-key' : null
		case 9:
			return header.toLowerCase() === 'x-api-key' ? 'x-api-key' : null
		case 13:
			return header.toLowerCase() === 'authorization' ? 'authorization' : null
		case 14:
			return route.modelCredentials && header.toLowerCase() === 'x-goog-api-key' ? 'x-goog-api-key' : null
		case 17:
			return header.toLowerCase() === 'x-service-api-key' ? 'x-service-api-key' : null
		default:
			return null
	}
}

function fromAuthorization(header: string): Value {
	const [, scheme = '', rest = ''] = header.match(/^(\S+) +(\S+)$/) ?? []
	if (scheme.toLowerCase() === 'bearer') return { place: 'bearer', text: rest }
	// Some exporters send the value of OTEL_EXPORTER_OTLP_HEADERS without decoding it, i.e. percent-encoded.
	if (scheme.toLowerCase() !== 'basic') return { place: 'bare', text: header.replace(/^bearer%20/i, '') }
	const pair = Buffer.from(rest, 'base64').toString('latin1')
	return { place: 'basic', text: pair.slice(pair.indexOf(':') + 1) }
}

function fromQuery(url: string): Value[] {
	const cut = url.indexOf('?')
	if (cut < 0) return []
	return new URLSearchParams(url.slice(cut)).getAll('key').map((text) => ({ place: 'query', text }))
}
