import type { IncomingHttpHeaders } from 'node:http'
import type { Uploads } from '../provider.ts'

const idForm = /^[\w.~-]{1,512}$/
/** Nobody owns it. */
const unknown = 'uploads/?'

/**
 * The upload that a query string continues; null if it names none. A name that Google might read in another way counts as that of
 * an upload which nobody owns.
 */
export function uploadIn(search: string): string | null {
	const named = [...new URLSearchParams(search)].filter((pair) => /upload_id/i.test(pair.join('=')))
	const [first] = named
	if (!first) return null
	const [name, id] = first
	return named.length === 1 && name === 'upload_id' && idForm.test(id) ? `uploads/${id}` : unknown
}

export const uploads: Uploads = {
	isAddressHeader: (name) => /^x-goog-upload-(?:\w+-)?url$/.test(name),
	isKnown: (upload) => upload !== unknown,
}

/** Why an upload is refused with a stored key, or null. */
export function refuseUpload(headers: IncomingHttpHeaders, search: string): string | null {
	const command = String(headers['x-goog-upload-command']).toLowerCase().replaceAll(' ', '')
	if (uploadIn(search) !== null)
		return /^(upload|upload,finalize|finalize|query|cancel)$/.test(command)
			? null
			: 'The X-Goog-Upload-Command of an upload that has begun is upload, finalize, both, query or cancel.'
	// Google's older form names the address for the bytes in `Location`, past Signalbox.
	for (const [name, value] of new URLSearchParams(search))
		if (/^upload_?(type|protocol)$/i.test(name) && !/^(multipart|raw|media)$/i.test(value))
			return 'Send the kind of the upload in X-Goog-Upload-Protocol, not in the query string.'
	const protocol = String(headers['x-goog-upload-protocol']).toLowerCase()
	if (/^(multipart|raw)$/.test(protocol) || (protocol === 'resumable' && command === 'start')) return null
	return 'Send X-Goog-Upload-Protocol: multipart or raw, or resumable with X-Goog-Upload-Command: start.'
}
