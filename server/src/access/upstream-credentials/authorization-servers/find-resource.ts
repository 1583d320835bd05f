import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import { readChallenge } from './challenge.ts'
import { AuthorizationServerFailure } from './failure.ts'
import { requireAddress } from './oauth-address.ts'
import { type Json, reach, readJson, texts } from './read-json.ts'

/** What an MCP server says of who gives tokens for it. */
export interface Resource {
	/** The `resource` of requests for tokens (RFC 8707). */
	resource: string
	issuers: string[]
	/** What the server asks for at its 401, else what it supports. */
	scope: string | null
}

/** Asks a server without credentials, and reads its metadata (RFC 9728); without any it is its own authorization server. */
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

/** At the server itself, which an admin has chosen, or by the rule for addresses of others. */
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

/** The same origin, and a path at or above the server's (as the MCP specification has it). */
function covers(resource: string, serverUrl: string): boolean {
	if (!URL.canParse(resource)) return false
	const [wide, narrow] = [new URL(resource), new URL(serverUrl)]
	const path = wide.pathname.replace(/\/$/, '')
	return wide.origin === narrow.origin && `${narrow.pathname}/`.startsWith(`${path}/`)
}
