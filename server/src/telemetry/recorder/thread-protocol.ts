const words = { turn: 0, asked: 1, epoch: 2, answered: 3 } as const
const flushMsAt = 16
const memoryBytes = 24

/** A flush that the recording thread wants; `number` grows with each and wraps. */
export interface Ask {
	number: number
	epoch: number
}

/**
 * Memory that the recording thread and the log's thread share. The most frequent thing between them, a flush and its
 * answer, goes through words in it: two messages would take twice the processor time and wake the other side later.
 */
export class FlushSignal {
	readonly memory: SharedArrayBuffer
	readonly #words: Int32Array<SharedArrayBuffer>
	readonly #flushMs: Float64Array<SharedArrayBuffer>
	#taken = 0

	constructor(memory = new SharedArrayBuffer(memoryBytes)) {
		this.memory = memory
		this.#words = new Int32Array(memory, 0, 4)
		this.#flushMs = new Float64Array(memory, flushMsAt, 1)
	}

	/** Wakes the log's thread, which then looks for messages too. */
	wake(): void {
		Atomics.add(this.#words, words.turn, 1)
		Atomics.notify(this.#words, words.turn)
	}

	/** Asks for a flush, one at a time. Calls back with how long it took (ms); never when it fails or is given up. */
	ask(epoch: number, onAnswered: (flushMs: number) => void): void {
		const before = Atomics.load(this.#words, words.answered)
		Atomics.store(this.#words, words.epoch, epoch)
		const number = (Atomics.add(this.#words, words.asked, 1) + 1) | 0
		this.wake()
		const answer = () => {
			if (Atomics.load(this.#words, words.answered) === number) onAnswered(this.#flushMs[0] as number)
		}
		const waiting = Atomics.waitAsync(this.#words, words.answered, before)
		if (waiting.async) void waiting.value.then(answer)
		else queueMicrotask(answer)
	}

	/** The log's thread: sleeps until something came after the turn `seen`; returns the turn then. */
	sleep(seen: number): number {
		Atomics.wait(this.#words, words.turn, seen)
		return Atomics.load(this.#words, words.turn)
	}

	/** The log's thread: the flush that was asked for since the last check, or null. */
	takeAsk(): Ask | null {
		const number = Atomics.load(this.#words, words.asked)
		if (number === this.#taken) return null
		this.#taken = number
		return { number, epoch: Atomics.load(this.#words, words.epoch) }
	}

	/** The log's thread: what was written before the ask is on disk. */
	answer({ number }: Ask, flushMs: number): void {
		this.#flushMs[0] = flushMs
		Atomics.store(this.#words, words.answered, number)
		Atomics.notify(this.#words, words.answered)
	}
}

/** One tick's records for one segment. The thread answers `written` (if wanted) and, after the next flush, `flushed`. */
export interface Submission {
	type: 'submission'
	seq: number
	/** Grows with every reopening after a failure; what belongs to a failed epoch is not written any more. */
	epoch: number
	/** Present when a new segment starts with these records: flush and close the one before, make the file. */
	open: { number: number; header: Uint8Array; lastEndsAt: number | null } | null
	/** Number of the segment, and the place of the run in it. */
	number: number
	at: number
	run: Uint8Array
	wantsWritten: boolean
	flush: boolean
	/** How far to prepare the file for the writes of the recording thread; 0: not at all. */
	prepareTo: number
}

/** Work on other files of the log, done between flushes. */
export type Job =
	| { name: 'append-manifest'; bytes: Uint8Array; flush: boolean }
	| { name: 'replace-manifest'; bytes: Uint8Array }
	| { name: 'remove-segments'; numbers: number[] }
	| { name: 'quarantine'; file: string; bytes: Uint8Array }
	| { name: 'quarantine-segment'; number: number }
	| { name: 'sync-segment'; number: number }
	/** Cuts off what is prepared and will not be used. */
	| { name: 'trim-segment'; end: number }
	/** Prepares more of a segment, ahead of the writes of the recording thread. */
	| { name: 'extend-segment'; number: number; from: number; to: number }
	| { name: 'measure-space' }
	| { name: 'close' }

export type ToThread =
	| Submission
	/** The recording thread could not write: its segment is given up. */
	| { type: 'abandon'; epoch: number }
	| { type: 'job'; id: number; job: Job }

export type FromThread =
	| { type: 'written'; seq: number }
	| { type: 'flushed'; seq: number; flushMs: number }
	/** After the submission `seq`: the segment is filled with zeros up to `end`. */
	| { type: 'prepared'; seq: number; number: number; fd: number; end: number }
	| { type: 'space'; freeBytes: number }
	| { type: 'failed'; epoch: number; message: string }
	| { type: 'job-done'; id: number; error: string | null }

export interface LogPlace {
	directory: string
	/** A module that exports `createFiles(directory)` (FileCalls), for tests of failing disks. */
	filesModule: string | null
}

export interface ThreadData extends LogPlace {
	/** Of the `FlushSignal`. */
	signalMemory: SharedArrayBuffer
}
