import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../../platform/errors.ts'
import { searchToSend } from './caller-keys.ts'
import { joinPath } from './connections/connection-view.ts'
import { headerPairs } from './forwarded-headers.ts'
import { providers } from './providers/index.ts'
import type { Target } from './target.ts'

/** An answer's headers in which the addresses of uploads are Signalbox's. */
export interface MovedUploads {
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
