import { type FileCalls, writeAll } from './log-files.ts'
import { sealRecords } from './segment-format.ts'

/** A stretch of a segment that the log's thread has filled with zeros and flushed. */
export interface Prepared {
	number: number
	/** Open in the whole process. The thread closes it when the next segment is opened. */
	fd: number
	end: number
}

/** Larger runs are for the thread: their copy would hold the event loop. What 32 calls carry that end at one time fits. */
export const largestRun = 192 * 1024

/**
 * The part of the current segment into which this thread writes by itself. Its blocks and pages exist, so a write is a
 * copy of some microseconds, also while the log's thread flushes; a trip to that thread and back takes ten times as long.
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

	takes(number: number, at: number, bytes: number): boolean {
		const prepared = this.#prepared
		return prepared?.number === number && bytes <= largestRun && at + bytes <= prepared.end
	}

	/** How many bytes are left behind the place `at`; 0 where nothing is prepared. */
	leftAfter(at: number): number {
		return Math.max(0, (this.#prepared?.end ?? 0) - at)
	}

	/** Memory for the next run, used again for each. */
	runOf(bytes: number): Buffer {
		if (this.#run.length === 0) this.#run = Buffer.allocUnsafeSlow(largestRun)
		return this.#run.subarray(0, bytes)
	}

	/** Throws what the disk says. */
	write(run: Buffer, at: number): void {
		sealRecords(run)
		writeAll(this.#files, this.#prepared?.fd ?? -1, run, at)
	}
}
