/** More of an answer is not looked at for what it says. */
const limitBytes = 4 * 1024 * 1024

/** The bytes of an answer, as far as they are needed for its record. */
export class KeptAnswer {
	#pieces: Buffer[] = []
	#bytes = 0

	push(chunk: Buffer): void {
		if (this.#bytes >= limitBytes) return
		const piece = chunk.subarray(0, limitBytes - this.#bytes)
		this.#bytes += piece.length
		this.#pieces.push(isSmallPart(piece) ? Buffer.from(piece) : piece)
	}

	/** Once: it is empty afterwards. */
	take(): Buffer {
		const pieces = this.#pieces
		this.#pieces = []
		return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
	}
}

/** A piece is a view of what the socket read at once: kept, a few bytes would keep all of that from being freed. */
function isSmallPart({ length, buffer }: Buffer): boolean {
	return length * 2 < buffer.byteLength
}
