import { Problem } from '../../../platform/errors.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'

export type Json = Record<string, unknown>

const limits = { redirects: 0, timeoutMs: 10_000, maxBytes: 256 * 1024 }

/** Sends a request to another server. Rejects with a failure that names the server if it cannot be reached, or not in time. */
export async function reach(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	url: string,
	options: Parameters<SafeFetch['fetch']>[1],
): Promise<Response> {
	try {
		return await safeFetch.fetch(url, options)
	} catch (error) {
		// The problem of a blocked address is reported unchanged.
		if (error instanceof Problem) throw error
		throw new AuthorizationServerFailure(`${new URL(url).origin} cannot be reached.`, error)
	}
}

/**
 * The JSON object at an address, or null if there is none (any other status). Rejects if the server cannot be reached or sends
 * anything else.
 */
export async function readJson(safeFetch: Pick<SafeFetch, 'fetch'>, url: string): Promise<Json | null> {
	const answer = await reach(safeFetch, url, { headers: { accept: 'application/json' }, ...limits })
	if (answer.status !== 200) {
		await answer.body?.cancel()
		return null
	}
	const document = parseObject(await bodyOf(answer, url))
	// Servers of single-page applications answer every path with their page.
	const isPage = /^text\/html\b/i.test(answer.headers.get('content-type') ?? '')
	if (document || isPage) return document
	throw new AuthorizationServerFailure(
		`The metadata at ${url} is no JSON object. Its operator has to correct it.`,
	)
}

/** Reads the whole body. Rejects with a failure that names the server if it is incomplete. */
export async function bodyOf(answer: Response, url: string): Promise<string> {
	try {
		return await answer.text()
	} catch (error) {
		throw new AuthorizationServerFailure(
			`The answer of ${new URL(url).origin} broke off or is too large.`,
			error,
		)
	}
}

/** Null for anything but an object. */
export function parseObject(text: string): Json | null {
	try {
		const value: unknown = JSON.parse(text)
		return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
	} catch {
		return null
	}
}

export function texts(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Something at an authorization server is invalid. The text is for the person who connects. */
export class AuthorizationServerFailure extends Problem {
	constructor(detail: string, cause?: unknown) {
		super('upstream_unreachable', detail, cause === undefined ? {} : { cause })
	}
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * An address that may be requested, or opened in a person's browser, while obtaining a token: https, or http on this machine.
 * Null for any other, for one with credentials in it, and for an invalid address.
 */
export function oauthAddress(value: unknown): URL | null {
	const url = typeof value === 'string' ? URL.parse(value) : null
	if (url?.username !== '' || url.password !== '') return null
	const isOpen = url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname))
	return isOpen ? url : null
}

/** The same, but throws a failure that says where the address was found. */
export function requireAddress(value: unknown, where: string): URL {
	const url = oauthAddress(value)
	if (url) return url
	const shown = typeof value === 'string' ? `“${value.slice(0, 100).toWellFormed()}”` : 'no text'
	throw new AuthorizationServerFailure(
		`${where} is ${shown}; it must be an https address (http only on this machine). Its operator has to correct it.`,
	)
}

/** The content of a `WWW-Authenticate: Bearer` header (RFC 6750 §3, RFC 9728 §5.1). */
interface Challenge {
	metadata: string | null
	scope: string | null
	error: string | null
}

export function readChallenge(header: string | null | undefined): Challenge {
	const text = header && /\bbearer\b/i.test(header) ? header : ''
	const parameter = (name: string) =>
		text
			.match(new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,"]+))`, 'i'))
			?.slice(1)
			.find(Boolean) ?? null
	return { metadata: parameter('resource_metadata'), scope: parameter('scope'), error: parameter('error') }
}
