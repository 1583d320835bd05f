import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import { createProviderFetch } from '../../../accounts/identity/identity.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import { AuthorizationServerFailure, bodyOf, type Json, parseObject, reach, texts } from './read-json.ts'

/** Signalbox as a client of an authorization server. */
export interface UpstreamOauthClient {
	id: string
	secret: string | null
	method: 'none' | 'client_secret_basic' | 'client_secret_post'
}

export const callbackPath = '/oauth/callback'
export const documentPath = '/oauth/client-metadata.json'

/** The client metadata of Signalbox: published at the URL that is its client id, or registered. */
export function describeClient(address: string) {
	return {
		client_name: 'Signalbox',
		client_uri: address,
		redirect_uris: [`${address}${callbackPath}`],
		grant_types: ['authorization_code', 'refresh_token'],
		response_types: ['code'],
		token_endpoint_auth_method: 'none',
	}
}

/** A client with the secret that an admin set, and an authentication method that the server supports. */
export function withSecret(metadata: ServerMetadata, id: string, secret: string | null): UpstreamOauthClient {
	const methods = texts(metadata.token_endpoint_auth_methods_supported)
	if (secret === null) return { id, secret, method: 'none' }
	const isBasic = methods.length === 0 || methods.includes('client_secret_basic')
	return { id, secret, method: isBasic ? 'client_secret_basic' : 'client_secret_post' }
}

/**
 * The client if none was registered by hand: the published metadata document if the server supports those, otherwise
 * registration for this scope.
 */
export async function obtainClient(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	metadata: ServerMetadata,
	address: string,
	scope: string | null,
): Promise<UpstreamOauthClient> {
	const reads = metadata.client_id_metadata_document_supported === true
	if (reads && address.startsWith('https:'))
		return { id: `${address}${documentPath}`, secret: null, method: 'none' }
	if (typeof metadata.registration_endpoint === 'string')
		return register(safeFetch, metadata, metadata.registration_endpoint, { address, scope })
	throw new AuthorizationServerFailure(
		`The authorization server ${metadata.issuer} registers nobody by itself: register Signalbox there, and set client_id.`,
	)
}

const ownMethods = ['none', 'client_secret_basic', 'client_secret_post']

async function register(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	metadata: ServerMetadata,
	endpoint: string,
	{ address, scope }: { address: string; scope: string | null },
): Promise<UpstreamOauthClient> {
	const methods = texts(metadata.token_endpoint_auth_methods_supported)
	// The first may be one that Signalbox does not have: Keycloak begins with private_key_jwt.
	const known = methods.find((method) => ownMethods.includes(method))
	const wanted = methods.includes('none') ? 'none' : (known ?? 'client_secret_basic')
	const isLocal = address.startsWith('http://')
	const body = {
		...describeClient(address),
		token_endpoint_auth_method: wanted,
		application_type: isLocal ? 'native' : 'web',
		// Servers may refuse a scope for which a client is not registered (FastMCP, oidc-provider).
		...(scope !== null && { scope }),
	}
	const answer = await reach(safeFetch, endpoint, {
		method: 'POST',
		headers: { 'content-type': 'application/json', accept: 'application/json' },
		body: JSON.stringify(body),
		redirects: 0,
		timeoutMs: 10_000,
		maxBytes: 64 * 1024,
	})
	const text = await bodyOf(answer, endpoint)
	if (answer.status !== 201 && answer.status !== 200)
		throw new AuthorizationServerFailure(
			`The authorization server refused to register us (HTTP ${answer.status}).`,
			text,
		)
	const registered = parseObject(text)
	if (!registered)
		throw new AuthorizationServerFailure(
			'The authorization server answered our registration with no JSON object.',
		)
	return toClient(registered, wanted)
}

function toClient(
	{ client_id, client_secret, token_endpoint_auth_method }: Json,
	wanted: string,
): UpstreamOauthClient {
	if (typeof client_id !== 'string')
		throw new AuthorizationServerFailure('The registration has no client_id.')
	const method = token_endpoint_auth_method ?? wanted
	const secret = typeof client_secret === 'string' ? client_secret : null
	if (secret === null || method === 'none') return { id: client_id, secret: null, method: 'none' }
	return { id: client_id, secret, method: method === 'client_secret_post' ? method : 'client_secret_basic' }
}

/** Loaded at the first use: most instances never need it. */
export const loadClient = () => import('openid-client')

/** The configuration for requests to an authorization server, through safe-fetch. */
export async function configure(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	metadata: ServerMetadata,
	{ id, secret, method }: UpstreamOauthClient,
): Promise<Configuration> {
	const client = await loadClient()
	const authentication =
		secret === null || method === 'none'
			? client.None()
			: method === 'client_secret_post'
				? client.ClientSecretPost(secret)
				: basicAuthentication(id, secret)
	const configuration = new client.Configuration(metadata, id, {}, authentication)
	configuration[client.customFetch] = asTheLibraryExpects(createProviderFetch(safeFetch as SafeFetch))
	configuration.timeout = 10
	// The metadata has been checked: plain http is possible only for servers on this machine.
	if (new URL(metadata.token_endpoint ?? metadata.issuer).protocol === 'http:')
		client.allowInsecureRequests(configuration)
	return configuration
}

/**
 * Nobody signs in with these tokens. The library would refuse all of them for an ID token of another issuer, which a proxy passes on
 * from the provider behind it, and for a field that is null instead of missing. It would take GitHub's and Slack's refusals, which
 * have the status 200, for malformed tokens.
 */
function asTheLibraryExpects(send: CustomFetch): CustomFetch {
	return async (url, options) => {
		const answer = await send(url, options)
		const document = parseObject(await answer.clone().text())
		if (!document) return answer
		const fields = Object.entries(document).filter(([name, value]) => name !== 'id_token' && value !== null)
		const isRefusal = typeof document.error === 'string' && typeof document.access_token !== 'string'
		const status = isRefusal && answer.status === 200 ? 400 : answer.status
		return Response.json(Object.fromEntries(fields), { status, headers: answer.headers })
	}
}

/** Form-encodes id and secret (RFC 6749 §2.3.1) except for `-`, `.` and `_`, because widely used servers do not decode them. */
function basicAuthentication(id: string, secret: string): ClientAuth {
	const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
	const credentials = Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')
	return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`)
}
