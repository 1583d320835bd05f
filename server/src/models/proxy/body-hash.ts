import { hash, webcrypto } from 'node:crypto'

/** Hashing more than this at once would hold the event loop. */
const atOnceBytes = 1024 * 1024

/** Of what one call carried: bodies on the wire, before their encoding is undone. '' where there was none. */
export interface BodyHashes {
	/** As the client sent it, and as its provider got it. */
	request: string
	requestSent: string
	/** As the provider sent it, and as the client got it. */
	response: string
	responsePassed: string
}

export async function hashOfBody(body: Buffer | null): Promise<string> {
	if (!body?.length) return ''
	if (body.length <= atOnceBytes) return hash('sha256', body, 'hex')
	const digest = await webcrypto.subtle.digest('SHA-256', body as Buffer<ArrayBuffer>)
	return Buffer.from(digest).toString('hex')
}
