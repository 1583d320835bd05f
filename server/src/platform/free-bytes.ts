/**
 * Frees the memory of a buffer at once; its length is 0 afterwards. V8 would keep the memory until the next garbage collection, and
 * collects the whole heap more often the more such memory exists: under heavy telemetry load that took a third of the processor
 * time. Only for buffers that nobody uses any more. A buffer that shares its memory is left as it is; `allocUnsafeSlow` and
 * transfers from threads give a buffer its own.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
	if (buffer.byteLength === byteLength) buffer.transfer(0)
}

/** Larger memory is freed after this many much smaller requests in a row. */
const maxKeptBytes = 32 * 1024 * 1024
const keptTimes = 16
/** Larger than any batch; still larger requests get separate memory. */
const maxLentBytes = 128 * 1024 * 1024
/** Spare capacity, so that slowly growing sizes do not cause a new allocation each time. */
const slack = 1.25

/** Decides how much memory to reserve for a sequence of buffers. */
export class MemorySizing {
	#bytes = 0
	#muchSmaller = 0

	/** The size to reserve for so many bytes; unchanged if the previous one suffices. */
	next(bytes: number): number {
		this.#muchSmaller = this.#bytes > maxKeptBytes && bytes < this.#bytes / 4 ? this.#muchSmaller + 1 : 0
		if (bytes > this.#bytes || this.#muchSmaller >= keptTimes) {
			this.#bytes = Math.ceil(bytes * slack)
			this.#muchSmaller = 0
		}
		return this.#bytes
	}
}

/**
 * Reusable memory for large buffers, one at a time: the kernel takes longer to provide new pages than the process takes to fill
 * them.
 */
export class ReusableMemory {
	readonly #size = new MemorySizing()
	#memory = Buffer.allocUnsafeSlow(0)
	#isLent = false

	/** Lends memory for so many bytes, to be given back. While it is lent, and for very large sizes, new memory is allocated. */
	acquire(bytes: number): Buffer<ArrayBuffer> {
		if (this.#isLent || bytes > maxLentBytes) return Buffer.allocUnsafeSlow(bytes)
		this.#isLent = true
		const wanted = this.#size.next(bytes)
		if (wanted !== this.#memory.length) {
			freeBytes(this.#memory)
			this.#memory = Buffer.allocUnsafeSlow(wanted)
		}
		return this.#memory.subarray(0, bytes)
	}

	/** Takes back bytes that nobody uses any more; memory that is not the reusable one is freed. */
	release(bytes: Buffer<ArrayBuffer>): void {
		if (this.#isLent && bytes.buffer === this.#memory.buffer) this.#isLent = false
		else freeBytes(bytes)
	}
}
