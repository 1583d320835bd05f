import type { CustomFetch } from 'openid-client'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'

/** The provider could not be reached or answered that it is in trouble, which is nobody's fault here. */
export class ProviderUnreachable extends Error {}

const limits = { redirects: 0, timeoutMs: 10_000, maxBytes: 1024 * 1024 }

/** Lets openid-client out through safe-fetch: addresses are judged, redirects are not followed. */
export function createProviderFetch(safeFetch: SafeFetch): CustomFetch {
	return async (url, { method, headers, body, signal }) => {
		const sent = body === undefined || body === null ? {} : { body: String(body) }
		const answer = await safeFetch
			.fetch(url, { method, headers, ...sent, ...(signal && { signal }), ...limits })
			.catch((error: unknown) => {
				throw new ProviderUnreachable(`${new URL(url).origin} cannot be reached`, { cause: error })
			})
		if (answer.status >= 500) {
			await answer.body?.cancel()
			throw new ProviderUnreachable(`${new URL(url).origin} answered ${answer.status}`)
		}
		const bytes = answer.body ? await answer.arrayBuffer() : null
		return new Response(bytes, { status: answer.status, headers: [...answer.headers] })
	}
}
