import type { Clock } from '../../../platform/clock.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import { OauthError } from '../oauth-error.ts'
import type { Client } from './client.ts'
import { readName, readRedirects, readUri } from './register-client.ts'

/** The descriptions that clients publish at the address that is their id (Client ID Metadata Documents). */
export interface MetadataDocuments {
	/** Throws `invalid_client`. */
	read(id: string): Promise<Client>
}

const keptMs = 5 * 60 * 1000
const keptMax = 500
const limits = { redirects: 0, timeoutMs: 5000, maxBytes: 16 * 1024 }

/** Whether an id is an address that may describe a client: https (http for one on this machine), with a path. */
export function isDocumentId(id: string): boolean {
	if (id.length > 2048 || !/^https?:\/\/[!-~]+$/.test(id) || !URL.canParse(id)) return false
	const url = new URL(id)
	const isPlain = url.href === id && url.hash === '' && url.username === '' && url.password === ''
	const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
	return isPlain && url.pathname !== '/' && (url.protocol === 'https:' || isLocal)
}

/** Read through safe-fetch, so that no id reaches an address of ours; kept for five minutes. */
export function createMetadataDocuments(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	clock: Clock,
): MetadataDocuments {
	const kept = new Map<string, { client: Client; untilMs: number }>()
	return {
		read: async (id) => {
			const known = kept.get(id)
			if (known && known.untilMs > clock.nowMs()) return known.client
			const client = toClient(id, await fetchDocument(safeFetch, id))
			if (kept.size >= keptMax) kept.delete(kept.keys().next().value as string)
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

function toClient(id: string, document: Record<string, unknown>): Client {
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
