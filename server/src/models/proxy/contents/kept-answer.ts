import { createHash, type Hash, hash } from 'node:crypto'

/** Buckets grow by a quarter, from 10 µs on. */
const growth = Math.log(1.25)
const firstMs = 0.01
const buckets = 80

/** The gaps between pieces of a stream that carried content, in buckets: a long stream takes no more room than a short one. */
export class StreamGaps {
	readonly #counts = new Uint32Array(buckets)
	#last: bigint | null = null
	#count = 0
	maxMs = 0

	note(atNs: bigint): void {
		const before = this.#last
		this.#last = atNs
		if (before === null) return
		const ms = Number(atNs - before) / 1e6
		const bucket = Math.min(buckets - 1, Math.max(0, Math.round(Math.log(ms / firstMs) / growth)))
		this.#counts[bucket] = (this.#counts[bucket] as number) + 1
		this.#count += 1
		this.maxMs = Math.max(this.maxMs, ms)
	}

	/** For the record, in ms; null while there are no gaps. */
	told(): { p50: number; p95: number; max: number } | null {
		const p50 = this.quantileMs(0.5)
		if (p50 === null) return null
		return { p50, p95: this.quantileMs(0.95) as number, max: Number(this.maxMs.toFixed(3)) }
	}

	/** Within an eighth; null while there are no gaps. */
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

/** More of an answer is not looked at for what it says. */
const limitBytes = 4 * 1024 * 1024

/** The bytes of an answer, as far as they are needed for its record, and the hash of all of them. */
export class KeptAnswer {
	readonly #limit: number
	#pieces: Buffer[] = []
	#bytes = 0
	/** Of an answer that is larger than what is kept. */
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

	/** Whether it is more than what is kept of it. */
	get overflows(): boolean {
		return this.#hash !== null
	}

	/** What is kept of it. */
	get bytes(): Buffer {
		if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)]
		return this.#pieces[0] as Buffer
	}

	/** Of all of it; once. '' for none. */
	digest(): string {
		if (this.#hash) return this.#hash.digest('hex')
		return this.#bytes === 0 ? '' : hash('sha256', this.bytes, 'hex')
	}
}

/** A piece is a view of what the socket read at once: kept, a few bytes would keep all of that from being freed. */
function isSmallPart({ length, buffer }: Buffer): boolean {
	return length * 2 < buffer.byteLength
}
