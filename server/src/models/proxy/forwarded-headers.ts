import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../../platform/errors.ts'
import { lowerCaseOf } from '../../platform/http1/read-message.ts'
import { searchToSend } from './caller-keys.ts'
import { joinPath } from './connections/connection-view.ts'
import { providers } from './providers/index.ts'
import type { Target } from './target.ts'

const hopByHop = [
	'connection',
	'keep-alive',
	'proxy-authenticate',
	'proxy-authorization',
	'proxy-connection',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
]

/**
 * Not sent to the provider: Signalbox credentials, cookies, headers added by the listener or a proxy in front of it, and other methods
 * than the one that was checked.
 */
const keptFromProvider: ReadonlySet<string> = new Set([
	...hopByHop,
	'expect',
	'host',
	'content-length',
	'cookie',
	'authorization',
	'x-api-key',
	'x-service-api-key',
	'x-goog-api-key',
	'api-key',
	'x-amz-date',
	'x-amz-security-token',
	'x-amz-content-sha256',
	'forwarded',
	'via',
	'x-real-ip',
	...['x-http-method-override', 'x-http-method', 'x-method-override'],
])

/**
 * Not sent to the client: headers about the provider's own host, or that tell a browser what a page of Signalbox's origin may do.
 */
const keptFromClient: ReadonlySet<string> = new Set([
	...hopByHop,
	'set-cookie',
	'alt-svc',
	'strict-transport-security',
	'clear-site-data',
	'content-security-policy',
	'content-security-policy-report-only',
	'x-content-type-options',
	'refresh',
	'service-worker-allowed',
	'access-control-allow-origin',
	'access-control-allow-credentials',
])

/** Not valid for a body that hooks have changed. */
const aboutBody: ReadonlySet<string> = new Set([
	'content-length',
	'content-md5',
	'digest',
	'content-digest',
	'etag',
])

/**
 * The client's headers for the provider, name and value alternating, with those that authorise the call. `plainAnswer`: asks
 * for an answer without content encoding. `plainBody`: the content encoding of the body was removed.
 */
export function requestHeaders(
	raw: readonly string[],
	authorization: readonly string[],
	{ plainAnswer = false, plainBody = false }: { plainAnswer?: boolean | undefined; plainBody?: boolean } = {},
): string[] {
	const alsoHop = namedByConnection(raw)
	const headers: string[] = []
	let hasType = false
	for (let index = 0; index < raw.length; index += 2) {
		const name = raw[index] as string
		const lower = lowerCaseOf(name)
		if (keptFromProvider.has(lower) || alsoHop?.has(lower)) continue
		if (lower === 'content-type') {
			// The body was read by the first one.
			if (hasType) continue
			hasType = true
		}
		if (lower.startsWith('x-signalbox-') || lower.startsWith('x-forwarded-')) continue
		if (plainAnswer && lower === 'accept-encoding') continue
		if (plainBody && lower === 'content-encoding') continue
		headers.push(name, raw[index + 1] as string)
	}
	headers.push(...authorization)
	if (plainAnswer) headers.push('accept-encoding', 'identity')
	return headers
}

/** The provider's headers for the client, with Signalbox's request id. `lengthBytes`: the length of a body that was changed. */
export function responseHeaders(
	raw: unknown,
	parsed: IncomingHttpHeaders,
	requestId: string,
	lengthBytes: number | null = null,
): string[] {
	const flat: (Buffer | string)[] = Array.isArray(raw) ? raw : flatten(parsed)
	const alsoHop = namedIn(parsed.connection)
	const headers: string[] = []
	for (let index = 0; index < flat.length; index += 2) {
		const name = toText(flat[index] as Buffer | string)
		const lower = lowerCaseOf(name)
		if (keptFromClient.has(lower) || alsoHop?.has(lower)) continue
		if (lengthBytes !== null && aboutBody.has(lower)) continue
		headers.push(name, toText(flat[index + 1] as Buffer | string))
	}
	if (lengthBytes !== null) headers.push('content-length', String(lengthBytes))
	headers.push('x-signalbox-request-id', requestId)
	return headers
}

/** All headers of an answer as texts, name and value alternating. */
function headerPairs(raw: unknown, parsed: IncomingHttpHeaders): string[] {
	return Array.isArray(raw) ? raw.map(toText) : flatten(parsed)
}

const aboutContent = ['content-type', 'content-encoding']

/** `Connection` can name further hop-by-hop headers. */
function namedByConnection(flat: readonly string[]): Set<string> | null {
	for (let index = 0; index < flat.length; index += 2) {
		if (lowerCaseOf(flat[index] as string) !== 'connection') continue
		const named = namedIn(flat[index + 1])
		// They say how the body is read, so the provider must get them too.
		for (const name of aboutContent) named?.delete(name)
		return named
	}
	return null
}

/** The usual values name no headers that would otherwise be forwarded. */
function namedIn(connection: string | readonly string[] | undefined): Set<string> | null {
	if (connection === undefined || connection === 'keep-alive' || connection === 'close') return null
	const names = String(connection).toLowerCase().split(',')
	return new Set(names.map((name) => name.trim()))
}

function toText(part: Buffer | string): string {
	return typeof part === 'string' ? part : part.toString('latin1')
}

function flatten(headers: IncomingHttpHeaders): string[] {
	return Object.entries(headers).flatMap(([name, value]) =>
		[value].flat().flatMap((one) => (one === undefined ? [] : [name, one])),
	)
}

/** An answer's headers in which the addresses of uploads are Signalbox's. */
interface MovedUploads {
	/** Name and value alternating. */
	headers: string[]
	/** The uploads, which belong to the caller from now on. */
	objects: string[]
}

/**
 * Replaces the provider's addresses of uploads in the headers of an answer, so that the bytes come through Signalbox too and the
 * file gets an owner. Null if there are none. A Problem if an upload with the stored key would continue elsewhere.
 */
export function moveUploads(
	target: Target,
	raw: unknown,
	parsed: IncomingHttpHeaders,
): MovedUploads | Problem | null {
	const { uploads } = providers[target.provider]
	if (!target.surface?.uploads || !uploads) return null
	const headers = headerPairs(raw, parsed)
	const objects: string[] = []
	for (let at = 0; at < headers.length; at += 2) {
		if (!uploads.isAddressHeader((headers[at] as string).toLowerCase())) continue
		const moved = addressHere(target, headers[at + 1] as string)
		if (moved) {
			headers[at + 1] = moved.address
			objects.push(moved.object)
		} else if (target.credential !== null) return elsewhere(target)
	}
	return objects.length > 0 ? { headers, objects } : null
}

/** Null if a request to that address could not be sent there from here. */
function addressHere(target: Target, given: string): { address: string; object: string } | null {
	const { origin, provider, credential, place } = target
	const url = URL.parse(given)
	if (!url || !place || url.origin !== origin || url.username || url.password || url.hash) return null
	const base = `${place.basePath.replace(/\/+$/, '')}/`
	if (!url.pathname.startsWith(base)) return null
	const path = url.pathname.slice(base.length)
	if (joinPath(place.basePath, path) !== url.pathname) return null
	// The provider may repeat the key of the first request.
	const search = searchToSend(url.search.slice(1), credential !== null)
	const { surfaceOf, uploads } = providers[provider]
	const surface = surfaceOf('POST', path, search)
	if (!surface?.uploads || surface.object === undefined || !uploads?.isKnown(surface.object)) return null
	return { address: `${place.url}/${path}?${search}`, object: surface.object }
}

function elsewhere({ origin }: Target): Problem {
	const { host } = new URL(origin)
	const detail = `The provider at ${host} names an address for the upload that is not an upload below the base URL of the connection. With a stored key, bytes are not sent anywhere else.`
	return new Problem('upstream_unreachable', detail)
}

/** Headers with the provider's request id. Proxies in front of one add `x-request-id`, which Anthropic's clients do not read. */
const requestIdHeaders = ['apim-request-id', 'x-amzn-requestid', 'request-id', 'x-request-id']
const limitHeader = /^(anthropic-ratelimit-|x-ratelimit-|ratelimit|retry-after|x-ms-retry-after)/
const maxLimitHeaders = 32

export function providerRequestIdIn(headers: IncomingHttpHeaders): string {
	for (const name of requestIdHeaders) if (headers[name] !== undefined) return String(headers[name])
	return ''
}

export function limitHeadersIn(headers: IncomingHttpHeaders): [string, string][] {
	const found: [string, string][] = []
	for (const name in headers)
		if (limitHeader.test(name) && found.length < maxLimitHeaders)
			found.push([name, String(headers[name]).slice(0, 256)])
	return found
}
