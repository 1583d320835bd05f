import { type FileCalls, writeAll } from './log-files.ts'
import { sealRecords } from './segment-format.ts'

/** A range of a segment that the log's thread has filled with zeros and flushed. */
export interface Prepared {
	number: number
	/** File descriptor, valid in the whole process. The thread closes it when the next segment is opened. */
	fd: number
	end: number
}

/** Larger runs go to the thread, because copying them would block the event loop. The facts of 32 calls that end together fit. */
export const largestRun = 192 * 1024

/**
 * The part of the current segment into which this thread writes directly. Its blocks and pages are allocated, so a write is a copy
 * of a few microseconds, even while the log's thread flushes. A round trip to that thread takes ten times as long.
 */
export class PreparedPart {
	readonly #files: FileCalls
	#prepared: Prepared | null = null
	#run = Buffer.allocUnsafeSlow(0)

	constructor(files: FileCalls) {
		this.#files = files
	}

	set(prepared: Prepared | null): void {
		this.#prepared = prepared
	}

	/** More of the same segment has been prepared, up to `end`. */
	extend(end: number): void {
		if (this.#prepared) this.#prepared = { ...this.#prepared, end }
	}

	takes(number: number, at: number, bytes: number): boolean {
		const prepared = this.#prepared
		return prepared?.number === number && bytes <= largestRun && at + bytes <= prepared.end
	}

	/** Prepared bytes after position `at`; 0 if nothing is prepared. */
	leftAfter(at: number): number {
		return Math.max(0, (this.#prepared?.end ?? 0) - at)
	}

	/** Memory for the next run, reused for each run. */
	runOf(bytes: number): Buffer {
		if (this.#run.length === 0) this.#run = Buffer.allocUnsafeSlow(largestRun)
		return this.#run.subarray(0, bytes)
	}

	/** Throws the disk's error. */
	write(run: Buffer, at: number): void {
		sealRecords(run)
		writeAll(this.#files, this.#prepared?.fd ?? -1, run, at)
	}
}
