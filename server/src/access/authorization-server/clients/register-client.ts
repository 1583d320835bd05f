import type { Sealer } from '../../../platform/crypto/seal.ts'
import { OauthError } from '../oauth-error.ts'
import type { Client } from './client.ts'
import { isRedirectUri } from './redirect-uris.ts'

/** What a client may say of itself; the rest of RFC 7591 is ignored. */
interface Said {
	/** name */
	n: string
	/** redirect URIs */
	r: string[]
	/** client_uri */
	u?: string
}

const prefix = 'dcr.'
const redirectsMax = 8
const purpose = 'oauth_client'

/**
 * Registers a client (RFC 7591). The id carries what was registered, under a MAC of ours: anybody may register, so
 * nothing is stored for it, and nobody can fill the store.
 */
export function registerClient(sealer: Sealer, metadata: Record<string, unknown>): Client {
	const method = metadata.token_endpoint_auth_method ?? 'none'
	if (method !== 'none' && method !== 'client_secret_basic' && method !== 'client_secret_post')
		throw new OauthError('invalid_client_metadata', 'token_endpoint_auth_method must be none.')
	const said: Said = { n: readName(metadata), r: readRedirects(metadata.redirect_uris) }
	const uri = readUri(metadata.client_uri)
	if (uri !== null) said.u = uri
	const body = Buffer.from(JSON.stringify(said)).toString('base64url')
	return toClient(`${prefix}${body}.${sealer.mac(purpose, body).slice(0, 43)}`, said)
}

/** The client of an id that we gave out, or null. */
export function registeredClient(sealer: Sealer, id: string): Client | null {
	const [, body = '', mac] = id.match(/^dcr\.([\w-]+)\.([0-9a-f]{43})$/) ?? []
	if (mac === undefined || sealer.mac(purpose, body).slice(0, 43) !== mac) return null
	return toClient(id, JSON.parse(Buffer.from(body, 'base64url').toString()) as Said)
}

function toClient(id: string, { n, r, u }: Said): Client {
	return { id, name: n, uri: u ?? null, redirectUris: r, verifiedHost: null }
}

/** Shown to people, so without what would write over the page. */
export function readName({ client_name: name }: Record<string, unknown>): string {
	const text = typeof name === 'string' ? name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim() : ''
	return text.slice(0, 80).toWellFormed() || 'A client without a name'
}

export function readRedirects(value: unknown): string[] {
	const isList = Array.isArray(value) && value.length > 0 && value.length <= redirectsMax
	if (!isList) throw new OauthError('invalid_redirect_uri', `Name 1 to ${redirectsMax} redirect_uris.`)
	for (const uri of value as unknown[])
		if (typeof uri !== 'string' || !isRedirectUri(uri))
			throw new OauthError(
				'invalid_redirect_uri',
				'A redirect URI must be https, http on a loopback address, or of a scheme of your own, without a fragment.',
			)
	return value as string[]
}

export function readUri(value: unknown): string | null {
	if (typeof value !== 'string' || value.length > 300 || !URL.canParse(value)) return null
	return /^https?:$/.test(new URL(value).protocol) ? value : null
}
