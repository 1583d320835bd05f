import type { Scope } from '@signalbox/contract'

/** The scopes that clients can request, with the texts of the consent page. */
export const scopeTexts = {
	'mcp:invoke': 'List and use the tools, prompts and resources that the agent is granted',
} as const satisfies Partial<Record<Scope, string>>

export type OauthScope = keyof typeof scopeTexts

export const oauthScopes = Object.keys(scopeTexts) as OauthScope[]

/** The known scopes in a request, or all if it names none. Null if it names only unknown ones. */
export function readScopes(text: string | undefined): OauthScope[] | null {
	const wanted = text?.split(' ').filter((scope) => scope !== '') ?? []
	if (wanted.length === 0) return oauthScopes
	const known = oauthScopes.filter((scope) => wanted.includes(scope))
	return known.length > 0 ? known : null
}

/** RFC 8414: the metadata of this authorization server. */
export function serverMetadata(issuer: string) {
	return {
		issuer,
		authorization_endpoint: `${issuer}/oauth/authorize`,
		token_endpoint: `${issuer}/oauth/token`,
		registration_endpoint: `${issuer}/oauth/register`,
		revocation_endpoint: `${issuer}/oauth/revoke`,
		scopes_supported: oauthScopes,
		response_types_supported: ['code'],
		response_modes_supported: ['query'],
		grant_types_supported: ['authorization_code', 'refresh_token'],
		token_endpoint_auth_methods_supported: ['none'],
		revocation_endpoint_auth_methods_supported: ['none'],
		code_challenge_methods_supported: ['S256'],
		authorization_response_iss_parameter_supported: true,
		client_id_metadata_document_supported: true,
		service_documentation: `${issuer}/docs`,
	}
}

/** RFC 9728: the metadata of `/mcp` or `/mcp/{server}`. It does not reveal which servers exist. */
export function resourceMetadata(issuer: string, server: string | null) {
	return {
		resource: resourceOf(issuer, server),
		authorization_servers: [issuer],
		scopes_supported: oauthScopes,
		bearer_methods_supported: ['header'],
		resource_name: 'Signalbox',
	}
}

/** The platform's own server, `/mcp/platform`: it accepts no tokens of this authorization server, and no other has this slug. */
export const platformServer = 'platform'

export function resourceOf(issuer: string, server: string | null): string {
	return server === null ? `${issuer}/mcp` : `${issuer}/mcp/${server}`
}

/** The slug of the server that a resource names, null for all servers; undefined if it is not a resource of this instance. */
export function serverOfResource(issuer: string, resource: string): string | null | undefined {
	const plain = resource.replace(/\/$/, '')
	if (plain === `${issuer}/mcp`) return null
	const name = plain.startsWith(`${issuer}/mcp/`) ? plain.slice(`${issuer}/mcp/`.length) : ''
	return /^[\w-]{1,64}$/.test(name) && name !== platformServer ? name : undefined
}
