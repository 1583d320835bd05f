import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { constants, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { Problem, tooLarge } from '../../platform/errors.ts'
import { freeBytes } from '../../platform/free-bytes.ts'

/** Limits the memory that all request bodies take together while they are received and recorded. */
export class InFlight {
	readonly #maxBytes: number
	#heldBytes = 0

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes
	}

	hold(): Hold {
		let held = 0
		return {
			add: (bytes) => {
				if (this.#heldBytes + bytes > this.#maxBytes)
					throw new Problem('too_many_requests', 'Too much telemetry is being received at once.', {
						retryAfterS: 1,
					})
				held += bytes
				this.#heldBytes += bytes
			},
			release: () => {
				this.#heldBytes -= held
				held = 0
			},
		}
	}

	get heldBytes(): number {
		return this.#heldBytes
	}
}

/** The share of one request. */
interface Hold {
	/** Throws Problem `too_many_requests` when there is no room. */
	add(bytes: number): void
	release(): void
}

/** A zstd frame may request a window of any size; this limits it to 64 MiB. */
const largestWindowLog = 26
export const boundedZstd = { params: { [constants.ZSTD_d_windowLogMax]: largestWindowLog } }

const inflaters: Readonly<Record<string, () => Transform>> = {
	gzip: createGunzip,
	'x-gzip': createGunzip,
	deflate: createInflate,
	// The OpenTelemetry Collector's name for the same encoding.
	zlib: createInflate,
	zstd: () => createZstdDecompress(boundedZstd),
}

/** The stream that decodes the request's Content-Encoding; null if it has none. */
function createInflater(request: IncomingMessage): Transform | null {
	const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
	if (encoding === '' || encoding === 'identity' || encoding === 'none') return null
	const create = Object.hasOwn(inflaters, encoding) ? inflaters[encoding] : undefined
	if (!create)
		throw new Problem(
			'unsupported_media_type',
			'The Content-Encoding is gzip, deflate, zlib, zstd or none here.',
		)
	return create()
}

/** Spans contain random ids and times, so they never compress this well; such a body is made to fill memory. */
const largestRatio = 200
const ratioAppliesFromBytes = 4 * 1024 * 1024

export interface BodyLimits {
	/** Maximum size after decompression. */
	limitBytes: number
	hold: Hold
}

/**
 * Receives and inflates a body, and stops at the first byte over the limit. The result has memory of its own, so that it can be
 * transferred to another thread. Throws Problem 400, 413, 415 or 429.
 */
export function receiveBody(
	request: IncomingMessage,
	{ limitBytes, hold }: BodyLimits,
): Promise<Buffer<ArrayBuffer>> {
	const inflater = createInflater(request)
	if (!inflater && Number(request.headers['content-length'] ?? 0) > limitBytes)
		return Promise.reject(tooLarge(limitBytes))
	return new Promise((resolve, reject) => {
		const source = inflater ?? request
		const pieces = new Pieces(inflater ? 0 : Number(request.headers['content-length'] ?? 0))
		let receivedBytes = 0
		let size = 0
		const end = (problem: unknown) => {
			source.removeListener('data', take)
			if (inflater) {
				request.unpipe(inflater)
				inflater.destroy()
			}
			reject(problem)
		}
		const take = (chunk: Buffer<ArrayBuffer>) => {
			size += chunk.length
			try {
				hold.add(chunk.length)
				if (size > limitBytes || (inflater && isBomb(size, receivedBytes))) throw tooLarge(limitBytes)
				pieces.add(chunk)
			} catch (problem) {
				end(problem)
			}
		}
		source.on('data', take)
		source.once('end', () => {
			const body = pieces.join()
			if (body) resolve(body)
			else end(cutShort())
		})
		request.once('error', () => end(cutShort()))
		request.once('close', () => {
			if (!request.complete) end(cutShort())
		})
		if (!inflater) return
		inflater.once('error', (error) => end(notInflated(error)))
		request.on('data', (chunk: Buffer) => {
			receivedBytes += chunk.length
		})
		request.pipe(inflater)
	})
}

function isBomb(size: number, receivedBytes: number): boolean {
	return size > ratioAppliesFromBytes && size > receivedBytes * largestRatio
}

/**
 * Limits how much memory is reserved for an announced length: such a body might never arrive, and would keep the memory from
 * others.
 */
const maxKnownBytes = 4 * 1024 * 1024

/**
 * Assembles a body. If its length is known, each chunk is copied to its position when it arrives, while it is in the processor's
 * cache, and freed at the next chunk, so that chunks reuse the same memory.
 */
class Pieces {
	readonly #knownBytes: number
	#body: Buffer<ArrayBuffer> | null = null
	#chunks: Buffer<ArrayBuffer>[] = []
	#size = 0

	/** @param knownBytes 0: not known */
	constructor(knownBytes: number) {
		this.#knownBytes = knownBytes <= maxKnownBytes ? knownBytes : 0
	}

	add(chunk: Buffer<ArrayBuffer>): void {
		if (this.#knownBytes > 0) {
			if (this.#size + chunk.length > this.#knownBytes)
				throw new Problem('invalid_request', 'The body is longer than its Content-Length.')
			this.#body ??= Buffer.allocUnsafeSlow(this.#knownBytes)
			this.#body.set(chunk, this.#size)
			this.#freeChunks()
		}
		this.#chunks.push(chunk)
		this.#size += chunk.length
	}

	/** The body, in memory of its own; null if it is shorter than announced. */
	join(): Buffer<ArrayBuffer> | null {
		if (this.#size < this.#knownBytes) return null
		const body = this.#body ?? concat(this.#chunks, this.#size)
		this.#freeChunks()
		return body
	}

	#freeChunks(): void {
		for (const chunk of this.#chunks.splice(0)) freeBytes(chunk)
	}
}

function concat(chunks: readonly Buffer[], size: number): Buffer<ArrayBuffer> {
	const body = Buffer.allocUnsafeSlow(size)
	let position = 0
	for (const chunk of chunks) {
		body.set(chunk, position)
		position += chunk.length
	}
	return body
}

function cutShort(): Problem {
	return new Problem('invalid_request', 'The connection ended before the body did.')
}

function notInflated(cause: Error): Problem {
	return new Problem('invalid_request', `The body is not what its Content-Encoding says: ${cause.message}.`, {
		cause,
	})
}
