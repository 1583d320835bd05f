/**
 * Gives the memory of bytes back at once; they have length 0 afterwards. V8 would keep it until it collects, and collects the
 * whole heap more often the more such memory there is: under a flood of telemetry that took a third of the processor time.
 * For bytes that nobody uses any more, with memory of their own (`allocUnsafeSlow`, or handed over by a thread); of others nothing
 * is freed.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
	if (buffer.byteLength === byteLength) buffer.transfer(0)
}

/** Above this it is not kept when much smaller bytes come so many times in a row. */
const mostKeptBytes = 32 * 1024 * 1024
const keptTimes = 16
/** Larger than a batch ever is; what is larger yet gets memory of its own. */
const mostLentBytes = 128 * 1024 * 1024
/** So that sizes that grow slowly do not ask for new memory each time. */
const slack = 1.25

/** How much memory to have for bytes that come one after the other. */
export class KeptSize {
	#bytes = 0
	#muchSmaller = 0

	/** For so many bytes; as before where that is enough. */
	next(bytes: number): number {
		this.#muchSmaller = this.#bytes > mostKeptBytes && bytes < this.#bytes / 4 ? this.#muchSmaller + 1 : 0
		if (bytes > this.#bytes || this.#muchSmaller >= keptTimes) {
			this.#bytes = Math.ceil(bytes * slack)
			this.#muchSmaller = 0
		}
		return this.#bytes
	}
}

/**
 * Memory for large bytes, one after the other, kept for the next: the kernel takes longer to give a process new pages than the
 * process takes to fill them.
 */
export class KeptMemory {
	readonly #size = new KeptSize()
	#memory = Buffer.allocUnsafeSlow(0)
	#isLent = false

	/** Memory for so many bytes; other memory while this one is lent, or for very many. To be given back. */
	lend(bytes: number): Buffer<ArrayBuffer> {
		if (this.#isLent || bytes > mostLentBytes) return Buffer.allocUnsafeSlow(bytes)
		this.#isLent = true
		const wanted = this.#size.next(bytes)
		if (wanted !== this.#memory.length) {
			freeBytes(this.#memory)
			this.#memory = Buffer.allocUnsafeSlow(wanted)
		}
		return this.#memory.subarray(0, bytes)
	}

	/** Nobody uses these bytes any more; of others than lent ones the memory is freed. */
	giveBack(bytes: Buffer<ArrayBuffer>): void {
		if (this.#isLent && bytes.buffer === this.#memory.buffer) this.#isLent = false
		else freeBytes(bytes)
	}
}
