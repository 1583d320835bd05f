import type { ServerMetadata } from 'openid-client'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import { AuthorizationServerFailure } from './failure.ts'
import { requireAddress } from './oauth-address.ts'
import { readJson, texts } from './read-json.ts'

/** Those that are asked, or opened in the person's browser. */
const endpoints = [
	'authorization_endpoint',
	'token_endpoint',
	'registration_endpoint',
	'revocation_endpoint',
] as const

/** The metadata of an authorization server (RFC 8414, or of OpenID Connect), which must name this very issuer. */
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

/** A server that does not say that it knows S256 would let a stolen code be used. */
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
