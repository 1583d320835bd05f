import { Problem } from '../../../platform/errors.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import { AuthorizationServerFailure } from './failure.ts'

export type Json = Record<string, unknown>

const limits = { redirects: 0, timeoutMs: 10_000, maxBytes: 256 * 1024 }

/** Asks another server. Rejects with a failure that names it when it cannot be reached, or not in time. */
export async function reach(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	url: string,
	options: Parameters<SafeFetch['fetch']>[1],
): Promise<Response> {
	try {
		return await safeFetch.fetch(url, options)
	} catch (error) {
		// A refused address is told as it is.
		if (error instanceof Problem) throw error
		throw new AuthorizationServerFailure(`${new URL(url).origin} cannot be reached.`, error)
	}
}

/** The JSON object at an address, or null when there is none (any other status). Rejects when nobody answers, or with anything else. */
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

/** The whole body. Rejects with a failure that names the server when it does not come to its end. */
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
