import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Scope, tokenPrefixes } from '@signalbox/contract'
import { type Actor, systemActor } from '../../accounts/audit/audit.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { hashToken, idNamedBy, namingToken, toBase62, tokenOf } from '../../platform/crypto/token.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import { Problem } from '../../platform/errors.ts'
import { newNonce, sendBytes, strictPolicy } from '../../platform/http/pages/static-files.ts'
import { newId } from '../../platform/ids.ts'
import { type AuthorizationContext, issuerOf } from './authorization-context.ts'
import { endGrant, findGrantByCode, type GrantRow, redeemCode } from './authorization-repository.ts'
import { allowsRedirect, type Client, isDocumentId, isRedirectUri, registeredClient } from './clients.ts'
import { type OauthScope, readScopes, resourceOf, serverOfResource } from './metadata.ts'
import { OauthError, readFields, redirectTo, requireField, responseUrl } from './oauth-error.ts'

const style = `:root{color-scheme:light dark;font:15px/1.6 system-ui,sans-serif}
body{max-width:36rem;margin:20vh auto;padding:0 1.25rem}h1{font-size:1.25rem}`

/** Shows an error to the person if it must not be sent to any redirect URI. */
function sendErrorPage(request: IncomingMessage, response: ServerResponse, text: string): void {
	const nonce = newNonce()
	sendBytes(request, response, {
		status: 400,
		type: 'text/html',
		body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signalbox</title><style nonce="${nonce}">${style}</style></head>
<body><h1>This client cannot be connected</h1><p>${escapeHtml(text)}</p>
<p>Nothing was given to it. Start again from the client, or ask who made it.</p></body></html>
`,
		headers: { 'content-security-policy': strictPolicy(nonce) },
	})
}

function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

type Fields = Readonly<Record<string, string>>

/**
 * The authorization endpoint: checks a client's request and redirects the browser to the consent page. Without a known client and
 * one of its registered redirect URIs nothing is sent anywhere; every other error is returned to the client.
 */
export async function authorize(
	context: AuthorizationContext,
	request: IncomingMessage,
	response: ServerResponse,
	search: string,
): Promise<void> {
	const issuer = issuerOf(context, request)
	try {
		const fields = readFields(search)
		const client = await findClient(context, requireField(fields, 'client_id'))
		const redirectUri = readRedirect(client, fields)
		const back = { issuer, redirectUri, state: fields.state ?? null }
		try {
			const asked = { ...readRequest(issuer, client, fields, context.clock.nowMs()), redirectUri }
			askPerson(context, request, response, asked)
		} catch (error) {
			if (!(error instanceof OauthError)) throw error
			redirectTo(response, responseUrl(back, { error: error.code, error_description: error.message }))
		}
	} catch (error) {
		if (!(error instanceof OauthError)) throw error
		sendErrorPage(request, response, error.message)
	}
}

function readRedirect(client: Client, fields: Fields): string {
	const [only] = client.redirectUris
	const asked = fields.redirect_uri ?? (client.redirectUris.length === 1 ? only : undefined)
	if (asked !== undefined && isRedirectUri(asked) && allowsRedirect(client.redirectUris, asked)) return asked
	throw new OauthError('invalid_request', 'The redirect_uri is none of those that the client has registered.')
}

function readRequest(
	issuer: string,
	client: Client,
	fields: Fields,
	nowMs: number,
): Omit<AuthorizationRequest, 'redirectUri'> {
	if (requireField(fields, 'response_type') !== 'code')
		throw new OauthError('unsupported_response_type', 'response_type must be code.')
	if ((fields.response_mode ?? 'query') !== 'query')
		throw new OauthError('invalid_request', 'response_mode must be query.')
	const codeChallenge = requireField(fields, 'code_challenge')
	if (fields.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge))
		throw new OauthError('invalid_request', 'PKCE is needed, with code_challenge_method S256.')
	const scopes = readScopes(fields.scope)
	if (!scopes) throw new OauthError('invalid_scope', 'The scope here is mcp:invoke.')
	const server = serverOfResource(issuer, fields.resource ?? resourceOf(issuer, null))
	if (server === undefined) throw new OauthError('invalid_target', 'The resource is none of this instance.')
	return {
		id: newId(nowMs),
		issuer,
		clientId: client.id,
		clientName: client.name,
		clientUri: client.uri,
		verifiedHost: client.verifiedHost,
		state: fields.state ?? null,
		codeChallenge,
		scopes,
		resource: resourceOf(issuer, server),
		server,
		expiresAtMs: nowMs + requestLifetimeMs,
	}
}

function askPerson(
	context: AuthorizationContext,
	request: IncomingMessage,
	response: ServerResponse,
	asked: AuthorizationRequest,
): void {
	// The cookie is reused while it lives, so that several requests can be open side by side.
	const browser = context.browserCookie.read(request) ?? randomBytes(32).toString('base64url')
	response.setHeader('set-cookie', context.browserCookie.set(browser))
	// In the fragment, which is not sent to servers and not logged.
	redirectTo(response, `${asked.issuer}/ui/authorize#${sealRequest(context, browser, asked)}`)
}

/** The client of an id: one that registered here, or one whose id is the URL of its metadata document. */
async function findClient(
	{ sealer, documents }: Pick<AuthorizationContext, 'sealer' | 'documents'>,
	id: string,
): Promise<Client> {
	const registered = registeredClient(sealer, id)
	if (registered) return registered
	if (isDocumentId(id)) return documents.read(id)
	throw new OauthError(
		'invalid_client',
		'This client_id is not known. Register first, or use the address of a description.',
	)
}

/** A client's request after it has been checked. Nothing is stored until a person consents. */
export interface AuthorizationRequest {
	/** Identifies this one opening of the consent page. */
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
	/** The slug of the resource's server; null for all servers. */
	server: string | null
	expiresAtMs: number
}

export const requestLifetimeMs = 10 * 60 * 1000

/** Seals the request for the URL of the consent page. It is valid in one browser only. */
function sealRequest(
	{ sealer }: AuthorizationContext,
	browser: string,
	request: AuthorizationRequest,
): string {
	return sealer.seal(JSON.stringify(request), contextOf(browser))
}

/** Throws `authorization_invalid` for another browser, after ten minutes, and for a modified text. */
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

const refreshPrefix = tokenPrefixes.refreshToken

/** A refresh token contains the id of its grant, so that even an old one identifies the grant to be revoked. */
function firstRefreshToken(grantId: string): string {
	return namingToken(refreshPrefix, grantId, randomBytes(16))
}

/** The next refresh token. It is derived, so that a client whose answer got lost receives the same one again. */
export function successorOf(sealer: Sealer, refreshToken: string, grantId: string): string {
	const secret = Buffer.from(sealer.mac('oauth-refresh-successor', refreshToken).slice(0, 32), 'hex')
	return namingToken(refreshPrefix, grantId, secret)
}

/** The access token that belongs to a refresh token. */
function accessTokenOf(sealer: Sealer, refreshToken: string): string {
	const secret = BigInt(`0x${sealer.mac('oauth-access', refreshToken)}`)
	return tokenOf(tokenPrefixes.accessToken, toBase62(secret, 43))
}

/** The grant named in a well-formed refresh token, or null. */
export function grantIdOf(refreshToken: string): string | null {
	return idNamedBy(refreshToken, refreshPrefix)
}

/** The answer of the token endpoint (RFC 6749 §5.1). */
export interface TokenAnswer {
	access_token: string
	token_type: 'Bearer'
	expires_in: number
	refresh_token: string
	scope: string
}

const accessLifetimeMs = 60 * 60 * 1000

/** Makes the access token of a refresh token valid at the ingress. */
export async function openIngress(
	{ identity, sealer, clock }: AuthorizationContext,
	tx: DatabaseTransaction,
	grant: GrantRow,
	refreshToken: string,
): Promise<void> {
	await identity.oauthTokens.put(tx, {
		id: grant.id,
		workspaceId: grant.workspace_id,
		agentId: grant.agent_id,
		userId: grant.user_id,
		name: grant.client_name,
		audience: grant.resource,
		scopes: grant.scope.split(' ') as Scope[],
		token: accessTokenOf(sealer, refreshToken),
		expiresAtMs: Math.min(clock.nowMs() + accessLifetimeMs, grant.expires_at),
	})
}

/** `issuedAtMs`: when the access token was issued, which is earlier if an answer is repeated. */
export function toTokenAnswer(
	{ sealer, clock }: AuthorizationContext,
	grant: GrantRow,
	refreshToken: string,
	issuedAtMs: number,
): TokenAnswer {
	const endsAtMs = Math.min(issuedAtMs + accessLifetimeMs, grant.expires_at)
	return {
		access_token: accessTokenOf(sealer, refreshToken),
		token_type: 'Bearer',
		expires_in: Math.round((endsAtMs - clock.nowMs()) / 1000),
		refresh_token: refreshToken,
		scope: grant.scope,
	}
}

/** Exchanges a code, once. A second use revokes the grant and everything issued by the first one. */
export async function exchangeCode(
	context: AuthorizationContext,
	fields: Fields,
	requestId: string,
): Promise<TokenAnswer> {
	const grant = await findGrantByCode(context.store.db, hashToken(requireField(fields, 'code')))
	if (!grant || !hasPerson(context, grant)) throw invalidGrant()
	if (grant.refresh_hash !== null) {
		await revokeReused(context, grant, 'authorization code', requestId)
		throw invalidGrant()
	}
	checkGrant(grant, fields, context.clock.nowMs())
	const refreshToken = firstRefreshToken(grant.id)
	const used = await context.mutate(async (tx) => {
		const isFirst = await redeemCode(tx, grant, hashToken(refreshToken), context.clock.nowMs())
		if (isFirst) await openIngress(context, tx, grant, refreshToken)
		return isFirst
	})
	if (used) return toTokenAnswer(context, grant, refreshToken, context.clock.nowMs())
	await revokeReused(context, grant, 'authorization code', requestId)
	throw invalidGrant()
}

/** Whether a grant has not been revoked and its person is still a member of the workspace. */
export function hasPerson({ identity }: AuthorizationContext, grant: GrantRow): boolean {
	return (
		grant.revoked_at === null && identity.memberOf(grant.workspace_id, { userId: grant.user_id }) !== null
	)
}

function checkGrant(grant: GrantRow, fields: Fields, nowMs: number): void {
	if (grant.code_expires_at <= nowMs) throw invalidGrant()
	if (requireField(fields, 'client_id') !== grant.client_id) throw invalidGrant()
	// OAuth 2.1 does not repeat it here, because PKCE protects the code.
	if ((fields.redirect_uri ?? grant.redirect_uri) !== grant.redirect_uri) throw invalidGrant()
	if (!isVerifier(requireField(fields, 'code_verifier'), grant.code_challenge)) throw invalidGrant()
	requireResource(grant, fields)
}

/** A token is valid for the resource to which the person consented, whatever is requested later (RFC 8707 §2.2). */
export function requireResource(grant: GrantRow, { resource }: Fields): void {
	if (resource !== undefined && resource.replace(/\/$/, '') !== grant.resource)
		throw new OauthError('invalid_target', 'The person agreed to another resource.')
}

function isVerifier(verifier: string, challenge: string): boolean {
	if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
	const digest = createHash('sha256').update(verifier).digest('base64url')
	return timingSafeEqual(Buffer.from(digest), Buffer.from(challenge))
}

export function invalidGrant(): OauthError {
	return new OauthError(
		'invalid_grant',
		'The code or token is not good: used, expired, revoked, or of another client.',
	)
}

interface Revocation {
	actor: Actor
	reason: string
	requestId: string
}

/** Revokes a grant with all its tokens. Idempotent. */
export async function revokeGrant(
	{ identity, audit, clock }: AuthorizationContext,
	tx: DatabaseTransaction,
	grant: GrantRow,
	{ actor, reason, requestId }: Revocation,
): Promise<void> {
	const { workspace_id: workspaceId, id } = grant
	if (!(await endGrant(tx, workspaceId, id, clock.nowMs()))) return
	await identity.oauthTokens.end(tx, workspaceId, id)
	await audit.record(tx, {
		workspaceId,
		actor,
		action: 'authorizations.revoke',
		target: { kind: 'authorization', id, name: grant.client_name },
		detail: { reason, user_id: grant.user_id, agent_uuid: grant.agent_id },
		requestId,
	})
}

/** A code or refresh token that is used twice must have been copied: everything issued for it is revoked. */
export async function revokeReused(
	context: AuthorizationContext,
	grant: GrantRow,
	what: string,
	requestId: string,
): Promise<void> {
	context.log.warn(
		{ grant: grant.id, user: grant.user_id },
		`oauth: ${what} was used twice; its grant was revoked`,
	)
	const revocation = { actor: systemActor(`${what} reuse`), reason: `${what} reuse`, requestId }
	await context.mutate((tx) => revokeGrant(context, tx, grant, revocation))
}
