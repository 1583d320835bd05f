import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import { OauthError } from './oauth-error.ts'

/** A program that requests tokens. All clients are public: none has a secret. */
export interface Client {
	id: string
	/** The name that it gives itself. */
	name: string
	uri: string | null
	redirectUris: readonly string[]
	/** The host that publishes its metadata document; null for a client that registered itself, which nobody verifies. */
	verifiedHost: string | null
}

/**
 * Schemes of known MCP clients. Any other app must use a reversed domain name as its scheme, as RFC 8252 §7.1 asks: schemes that
 * a system opens by itself (`ms-msdt:`, `search-ms:`, `intent:`, `javascript:`, …) are too many for a deny list.
 */
const knownApps = new Set([
	...['claude', 'cursor', 'cursor-nightly', 'vscode', 'vscode-insiders', 'vscodium', 'code-oss', 'windsurf'],
	...[
		'windsurf-next',
		'zed',
		'kiro',
		'trae',
		'warp',
		'warppreview',
		'goose',
		'raycast',
		'jetbrains',
		'lmstudio',
	],
	...['cherrystudio', 'librechat', 'chatbox', 'postman', 'insomnia'],
])

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Whether a client may have this redirect URI: https, http on the local machine, or the scheme of an app. */
export function isRedirectUri(text: string): boolean {
	if (text.length > 512 || !/^[!-~]+$/.test(text) || text.includes('#') || !URL.canParse(text)) return false
	const url = new URL(text)
	if (url.username !== '' || url.password !== '') return false
	if (url.protocol === 'https:') return true
	if (url.protocol === 'http:') return loopback.has(url.hostname)
	const scheme = url.protocol.slice(0, -1)
	return knownApps.has(scheme) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(scheme)
}

/**
 * The requested redirect URI must equal one of the client's exactly. Only the port of a loopback address may differ, because such
 * programs get a free port at each start (RFC 8252 §7.3).
 */
export function allowsRedirect(allowed: readonly string[], asked: string): boolean {
	return isRedirectUri(asked) && allowed.some((uri) => uri === asked || sameButPort(uri, asked))
}

export function isLoopbackUri(text: string): boolean {
	return withoutPort(text) !== null
}

function sameButPort(uri: string, asked: string): boolean {
	const plain = withoutPort(uri)
	return plain !== null && plain === withoutPort(asked)
}

/** Removed from the text itself: a URL parser would normalize different texts to the same one. */
function withoutPort(text: string): string | null {
	const [, host, port = '', rest] =
		text.match(/^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?([/?].*)?$/) ?? []
	if (host === undefined || Number(port.slice(1)) > 65_535) return null
	return `${host}${rest ?? ''}`
}

/** The client metadata that is used; the rest of RFC 7591 is ignored. */
interface Registration {
	/** name */
	n: string
	/** redirect URIs */
	r: string[]
	/** client_uri */
	u?: string
}

const prefix = 'dcr.'
const maxRedirects = 8
const purpose = 'oauth_client'

/**
 * Registers a client (RFC 7591). The id contains the registered data with a MAC. Anyone may register, so nothing is stored, and
 * nobody can fill the store.
 */
export function registerClient(sealer: Sealer, metadata: Record<string, unknown>): Client {
	const method = metadata.token_endpoint_auth_method ?? 'none'
	if (method !== 'none' && method !== 'client_secret_basic' && method !== 'client_secret_post')
		throw new OauthError('invalid_client_metadata', 'token_endpoint_auth_method must be none.')
	const registration: Registration = { n: readName(metadata), r: readRedirects(metadata.redirect_uris) }
	const uri = readUri(metadata.client_uri)
	if (uri !== null) registration.u = uri
	const body = Buffer.from(JSON.stringify(registration)).toString('base64url')
	return toClient(`${prefix}${body}.${sealer.mac(purpose, body).slice(0, 43)}`, registration)
}

/** The client of an id issued here, or null. */
export function registeredClient(sealer: Sealer, id: string): Client | null {
	const [, body = '', mac] = id.match(/^dcr\.([\w-]+)\.([0-9a-f]{43})$/) ?? []
	if (mac === undefined || sealer.mac(purpose, body).slice(0, 43) !== mac) return null
	return toClient(id, JSON.parse(Buffer.from(body, 'base64url').toString()) as Registration)
}

function toClient(id: string, { n, r, u }: Registration): Client {
	return { id, name: n, uri: u ?? null, redirectUris: r, verifiedHost: null }
}

/** The name is shown to people, so characters are removed that could manipulate the display. */
function readName({ client_name: name }: Record<string, unknown>): string {
	const text = typeof name === 'string' ? name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim() : ''
	return text.slice(0, 80).toWellFormed() || 'A client without a name'
}

function readRedirects(value: unknown): string[] {
	const isList = Array.isArray(value) && value.length > 0 && value.length <= maxRedirects
	if (!isList) throw new OauthError('invalid_redirect_uri', `Name 1 to ${maxRedirects} redirect_uris.`)
	for (const uri of value as unknown[])
		if (typeof uri !== 'string' || !isRedirectUri(uri))
			throw new OauthError(
				'invalid_redirect_uri',
				'A redirect URI must be https, http on a loopback address, or of a scheme of your own, without a fragment.',
			)
	return value as string[]
}

function readUri(value: unknown): string | null {
	if (typeof value !== 'string' || value.length > 300 || !URL.canParse(value)) return null
	return /^https?:$/.test(new URL(value).protocol) ? value : null
}

/** The metadata documents that clients publish at the URL that is their id (Client ID Metadata Documents). */
export interface MetadataDocuments {
	/** Throws `invalid_client`. */
	read(id: string): Promise<Client>
}

const keptMs = 5 * 60 * 1000
const maxKept = 500
const limits = { redirects: 0, timeoutMs: 5000, maxBytes: 16 * 1024 }

/** Whether an id is a URL that may name a metadata document: https (http on this machine), with a path. */
export function isDocumentId(id: string): boolean {
	if (id.length > 2048 || !/^https?:\/\/[!-~]+$/.test(id) || !URL.canParse(id)) return false
	const url = new URL(id)
	const isPlain = url.href === id && url.hash === '' && url.username === '' && url.password === ''
	const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
	return isPlain && url.pathname !== '/' && (url.protocol === 'https:' || isLocal)
}

/** Fetched through safe-fetch, so that no id reaches an internal address; cached for five minutes. */
export function createMetadataDocuments(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	clock: Clock,
): MetadataDocuments {
	const kept = new Map<string, { client: Client; untilMs: number }>()
	return {
		read: async (id) => {
			const known = kept.get(id)
			const leftMs = known ? known.untilMs - clock.nowMs() : 0
			// More than that is left after the clock was set back.
			if (known && leftMs > 0 && leftMs <= keptMs) return known.client
			const client = clientOfDocument(id, await fetchDocument(safeFetch, id))
			if (kept.size >= maxKept) kept.delete(kept.keys().next().value as string)
			kept.delete(id)
			kept.set(id, { client, untilMs: clock.nowMs() + keptMs })
			return client
		},
	}
}

async function fetchDocument(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	id: string,
): Promise<Record<string, unknown>> {
	try {
		const answer = await safeFetch.fetch(id, { headers: { accept: 'application/json' }, ...limits })
		const text = await answer.text()
		if (answer.status !== 200) throw new Error(`It answered ${answer.status}.`)
		const document: unknown = JSON.parse(text)
		if (typeof document !== 'object' || document === null) throw new Error('It is no JSON object.')
		return document as Record<string, unknown>
	} catch (error) {
		const cause = error instanceof Error ? error.message : ''
		throw new OauthError('invalid_client', `The description of the client at ${id} cannot be read. ${cause}`)
	}
}

function clientOfDocument(id: string, document: Record<string, unknown>): Client {
	if (document.client_id !== id)
		throw new OauthError('invalid_client', 'The description of the client is of another client_id.')
	const method = document.token_endpoint_auth_method ?? 'none'
	if (method !== 'none')
		throw new OauthError(
			'invalid_client',
			'Only public clients (token_endpoint_auth_method none) are known here.',
		)
	return {
		id,
		name: readName(document),
		uri: readUri(document.client_uri),
		redirectUris: readRedirects(document.redirect_uris),
		verifiedHost: new URL(id).host,
	}
}
