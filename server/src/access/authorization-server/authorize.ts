import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hashToken } from '../../platform/crypto/token.ts'
import { Problem } from '../../platform/errors.ts'
import { newNonce, sendBytes, strictPolicy } from '../../platform/http/pages/static-files.ts'
import { newId } from '../../platform/ids.ts'
import { type AuthorizationContext, issuerOf } from './authorization-context.ts'
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
