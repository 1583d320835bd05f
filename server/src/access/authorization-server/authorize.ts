import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newId } from '../../platform/ids.ts'
import { type AuthorizationRequest, requestLifetimeMs, sealRequest } from './authorization-request.ts'
import type { Client } from './clients/client.ts'
import { findClient } from './clients/find-client.ts'
import { allowsRedirect, isRedirectUri } from './clients/redirect-uris.ts'
import { type AuthorizationContext, issuerOf } from './context.ts'
import { sendErrorPage } from './error-page.ts'
import { resourceOf, serverOfResource } from './metadata.ts'
import { OauthError } from './oauth-error.ts'
import { readFields, requireField } from './read-form.ts'
import { redirectTo, responseUrl } from './redirect.ts'
import { readScopes } from './scopes.ts'

type Fields = Readonly<Record<string, string>>

/**
 * The authorization endpoint: checks what a client asks for and leads the browser to the consent page. Without a known
 * client and one of its own redirect URIs nothing is sent anywhere; every other failure goes back to the client.
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
	// The cookie stays the same while it lives, so that two clients can ask side by side.
	const browser = context.browserCookie.read(request) ?? randomBytes(32).toString('base64url')
	response.setHeader('set-cookie', context.browserCookie.set(browser))
	// In the fragment, which no server and no log sees.
	redirectTo(response, `${asked.issuer}/ui/authorize#${sealRequest(context, browser, asked)}`)
}
