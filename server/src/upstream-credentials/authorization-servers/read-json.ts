import type { SafeFetch } from '../../platform/safe-fetch.ts'

export type Json = Record<string, unknown>

const limits = { redirects: 0, timeoutMs: 10_000, maxBytes: 256 * 1024 }

/** The JSON object at an address, or null when there is none (any other status). Rejects when nobody answers. */
export async function readJson(safeFetch: Pick<SafeFetch, 'fetch'>, url: string): Promise<Json | null> {
	const answer = await safeFetch.fetch(url, { headers: { accept: 'application/json' }, ...limits })
	const text = await answer.text()
	if (answer.status !== 200) return null
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
