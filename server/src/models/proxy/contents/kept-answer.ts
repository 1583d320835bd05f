import { createHash, type Hash, hash } from 'node:crypto'

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
