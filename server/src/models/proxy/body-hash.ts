import { createHash, type Hash, hash, webcrypto } from 'node:crypto'

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

/** Hash of a body that comes in pieces; one that comes in one piece, as most do, is hashed in one call. */
export class BodyHash {
	#only: Buffer | null = null
	#hash: Hash | null = null

	add(piece: Buffer): void {
		if (this.#hash) this.#hash.update(piece)
		else if (this.#only) this.#hash = createHash('sha256').update(this.#only).update(piece)
		else this.#only = piece
	}

	/** Of all that was added; once. */
	digest(): string {
		if (this.#hash) return this.#hash.digest('hex')
		return this.#only ? hash('sha256', this.#only, 'hex') : ''
	}

	/** Whether both are of one and the same piece. */
	isTwinOf(other: BodyHash): boolean {
		return this.#only !== null && !this.#hash && !other.#hash && this.#only === other.#only
	}
}

/** `body` as the client sent it, the attempt with which its call ended, and the client's answer. */
export async function bodyHashes(
	body: Buffer | null,
	attempt: { step: { body: { bytes: Buffer } }; hash: BodyHash } | null,
	answer: { hash: BodyHash },
): Promise<BodyHashes> {
	const sent = attempt?.step.body.bytes ?? null
	const request = await hashOf(body)
	const isTwin = attempt !== null && answer.hash.isTwinOf(attempt.hash)
	const response = attempt?.hash.digest() ?? ''
	return {
		request,
		requestSent: sent === body ? request : await hashOf(sent),
		response,
		responsePassed: isTwin ? response : answer.hash.digest(),
	}
}

async function hashOf(body: Buffer | null): Promise<string> {
	if (!body?.length) return ''
	if (body.length <= atOnceBytes) return hash('sha256', body, 'hex')
	const digest = await webcrypto.subtle.digest('SHA-256', body as Buffer<ArrayBuffer>)
	return Buffer.from(digest).toString('hex')
}
