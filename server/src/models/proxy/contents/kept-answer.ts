import { createHash, type Hash, hash } from 'node:crypto'
import { betweenNs } from '../../../platform/clock.ts'

/** Each bucket is a quarter larger than the one before, from 10 µs. */
const growth = Math.log(1.25)
const firstMs = 0.01
const buckets = 80

/** A histogram of the gaps between content chunks of a stream: its size does not depend on the length of the stream. */
export class StreamGaps {
	readonly #counts = new Uint32Array(buckets)
	#last: bigint | null = null
	#count = 0
	maxMs = 0

	note(atNs: bigint): void {
		const before = this.#last
		this.#last = atNs
		if (before === null) return
		const ms = Number(betweenNs(before, atNs)) / 1e6
		const bucket = Math.min(buckets - 1, Math.max(0, Math.round(Math.log(ms / firstMs) / growth)))
		this.#counts[bucket] = (this.#counts[bucket] as number) + 1
		this.#count += 1
		this.maxMs = Math.max(this.maxMs, ms)
	}

	/** For the record, in ms; null if there are no gaps. */
	summary(): { p50: number; p95: number; max: number } | null {
		const p50 = this.quantileMs(0.5)
		if (p50 === null) return null
		return { p50, p95: this.quantileMs(0.95) as number, max: Number(this.maxMs.toFixed(3)) }
	}

	/** Accurate to an eighth; null if there are no gaps. */
	quantileMs(share: number): number | null {
		let left = Math.ceil(this.#count * share)
		if (left === 0) return null
		const bucket = this.#counts.findIndex((count) => {
			left -= count
			return left <= 0
		})
		return Math.min(this.maxMs, Number((firstMs * Math.exp(bucket * growth)).toPrecision(3)))
	}
}

/** The rest of a larger answer is not read. */
const limitBytes = 4 * 1024 * 1024

/** The bytes of an answer that its record needs, and the hash of all bytes. */
export class KeptAnswer {
	readonly #limit: number
	#pieces: Buffer[] = []
	#bytes = 0
	/** Set for an answer that is larger than what is kept. */
	#hash: Hash | null = null

	constructor(limit = limitBytes) {
		this.#limit = limit
	}

	push(chunk: Buffer): void {
		if (this.#hash) {
			this.#hash.update(chunk)
			return
		}
		const piece = chunk.subarray(0, this.#limit - this.#bytes)
		this.#bytes += piece.length
		if (piece.length > 0) this.#pieces.push(isSmallPart(piece) ? Buffer.from(piece) : piece)
		if (piece.length < chunk.length)
			this.#hash = createHash('sha256').update(this.bytes).update(chunk.subarray(piece.length))
	}

	/** Whether the answer is larger than what is kept. */
	get overflows(): boolean {
		return this.#hash !== null
	}

	/** The kept bytes. */
	get bytes(): Buffer {
		if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)]
		return this.#pieces[0] as Buffer
	}

	/** The hash of all bytes; can be called once. '' if there are none. */
	digest(): string {
		if (this.#hash) return this.#hash.digest('hex')
		return this.#bytes === 0 ? '' : hash('sha256', this.bytes, 'hex')
	}
}

/** A chunk is a view of the socket's read buffer: keeping a few bytes of it would keep the whole buffer from being freed. */
function isSmallPart({ length, buffer }: Buffer): boolean {
	return length * 2 < buffer.byteLength
}
