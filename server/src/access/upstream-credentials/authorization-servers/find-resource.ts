import type { ServerMetadata } from 'openid-client'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import {
	AuthorizationServerFailure,
	type Json,
	reach,
	readChallenge,
	readJson,
	requireAddress,
	texts,
} from './read-json.ts'

/** Endpoints that are requested, or opened in the person's browser. */
const endpoints = [
	'authorization_endpoint',
	'token_endpoint',
	'registration_endpoint',
	'revocation_endpoint',
] as const

/** The metadata of an authorization server (RFC 8414 or OpenID Connect), which must name exactly this issuer. */
export async function findMetadata(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	issuer: string,
): Promise<ServerMetadata> {
	for (const url of addressesOf(requireAddress(issuer, 'The address of the authorization server'))) {
		const document = await readJson(safeFetch, url)
		if (!document) continue
		if (plain(document.issuer) !== plain(issuer))
			throw new AuthorizationServerFailure(`The metadata at ${url} is of another issuer than ${issuer}.`)
		if (document.token_endpoint === undefined)
			throw new AuthorizationServerFailure(`The metadata at ${url} names no token endpoint.`)
		for (const endpoint of endpoints)
			if (document[endpoint] !== undefined) requireAddress(document[endpoint], `\`${endpoint}\` of ${url}`)
		return document as unknown as ServerMetadata
	}
	throw new AuthorizationServerFailure(`The authorization server ${issuer} publishes no metadata.`)
}

/** Without declared support of S256, a stolen code could be used. */
export function requirePkce(metadata: ServerMetadata): void {
	if (!texts(metadata.code_challenge_methods_supported).includes('S256'))
		throw new AuthorizationServerFailure(
			`The authorization server ${metadata.issuer} does not support PKCE with S256.`,
		)
	if (typeof metadata.authorization_endpoint !== 'string')
		throw new AuthorizationServerFailure(
			`The authorization server ${metadata.issuer} has no authorization endpoint.`,
		)
}

/** In the order of the MCP specification. */
function addressesOf({ origin, pathname }: URL): string[] {
	const path = pathname.replace(/\/$/, '')
	const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
		(name) => `${origin}/.well-known/${name}${path}`,
	)
	return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`]
}

function plain(issuer: unknown): unknown {
	return typeof issuer === 'string' ? issuer.replace(/\/$/, '') : issuer
}

/** What an MCP server says about the authorization for it. */
interface Resource {
	/** The `resource` of requests for tokens (RFC 8707). */
	resource: string
	issuers: string[]
	/** The scope in the server's 401 challenge, otherwise its supported scopes. */
	scope: string | null
}

/**
 * Sends a request without credentials to a server, and reads its metadata (RFC 9728). A server without metadata is its own
 * authorization server.
 */
export async function findResource(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	serverUrl: string,
): Promise<Resource> {
	const { metadata: named, scope } = await challengeOf(safeFetch, serverUrl)
	if (named) requireMetadataAddress(named, serverUrl)
	const document = await firstDocument(safeFetch, named ? [named] : wellKnown(serverUrl))
	const { origin } = new URL(serverUrl)
	if (!document) return { resource: serverUrl, issuers: [origin], scope }
	const resource = typeof document.resource === 'string' ? document.resource : serverUrl
	if (!covers(resource, serverUrl))
		throw new AuthorizationServerFailure(`The metadata of the server is about another resource: ${resource}.`)
	const issuers = texts(document.authorization_servers)
	if (document.authorization_servers !== undefined && issuers.length === 0)
		throw new AuthorizationServerFailure(
			`The metadata of the server ${origin} has \`authorization_servers\` that are no list of addresses.`,
		)
	const supported = texts(document.scopes_supported).join(' ')
	return { resource, issuers: issuers.length > 0 ? issuers : [origin], scope: scope ?? (supported || null) }
}

/** The server's own origin is allowed, because an admin chose the server. Other addresses must follow the general rule. */
function requireMetadataAddress(named: string, serverUrl: string): void {
	if (URL.parse(named)?.origin === new URL(serverUrl).origin) return
	requireAddress(named, 'The `resource_metadata` that the server names at its 401')
}

async function challengeOf(safeFetch: Pick<SafeFetch, 'fetch'>, serverUrl: string) {
	const answer = await reach(safeFetch, serverUrl, {
		method: 'POST',
		headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
		body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
		redirects: 0,
		timeoutMs: 10_000,
	})
	await answer.body?.cancel()
	return readChallenge(answer.status === 401 ? answer.headers.get('www-authenticate') : null)
}

function wellKnown(serverUrl: string): string[] {
	const { origin, pathname } = new URL(serverUrl)
	const root = `${origin}/.well-known/oauth-protected-resource`
	return pathname === '/' ? [root] : [`${root}${pathname.replace(/\/$/, '')}`, root]
}

async function firstDocument(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	urls: readonly string[],
): Promise<Json | null> {
	for (const url of urls) {
		const document = await readJson(safeFetch, url)
		if (document) return document
	}
	return null
}

/** The same origin, and a path equal to the server's or above it (by the MCP specification). */
function covers(resource: string, serverUrl: string): boolean {
	if (!URL.canParse(resource)) return false
	const [wide, narrow] = [new URL(resource), new URL(serverUrl)]
	const path = wide.pathname.replace(/\/$/, '')
	return wide.origin === narrow.origin && `${narrow.pathname}/`.startsWith(`${path}/`)
}
