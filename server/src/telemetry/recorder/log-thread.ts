import { Worker } from 'node:worker_threads'
import { compiledCodeEnvironment } from '../../platform/compiled-code.ts'

const words = { turn: 0, asked: 1, epoch: 2, answered: 3 } as const
const flushMsAt = 16
const memoryBytes = 24

/** A flush that the recording thread requests. `number` is incremented for each and wraps. */
export interface FlushRequest {
	number: number
	epoch: number
}

/**
 * Memory that the recording thread and the log's thread share. Their most frequent exchange, a flush and its answer, uses words in
 * it: two messages would take twice the processor time and wake the other side later.
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

	/** Wakes the log's thread, which then also checks for messages. */
	wake(): void {
		Atomics.add(this.#words, words.turn, 1)
		Atomics.notify(this.#words, words.turn)
	}

	/** Requests a flush, one at a time. Calls back with `seq` and its duration in ms; never if the flush fails or is abandoned. */
	ask(seq: number, epoch: number, onFlushed: (seq: number, flushMs: number) => void): void {
		const before = Atomics.load(this.#words, words.answered)
		Atomics.store(this.#words, words.epoch, epoch)
		const number = (Atomics.add(this.#words, words.asked, 1) + 1) | 0
		this.wake()
		const answer = () => {
			if (Atomics.load(this.#words, words.answered) === number) onFlushed(seq, this.#flushMs[0] as number)
		}
		const waiting = Atomics.waitAsync(this.#words, words.answered, before)
		if (waiting.async) void waiting.value.then(answer)
		else queueMicrotask(answer)
	}

	/** For the log's thread: sleeps until something arrived after the turn `seen`; returns the current turn. */
	sleep(seen: number): number {
		Atomics.wait(this.#words, words.turn, seen)
		return Atomics.load(this.#words, words.turn)
	}

	/** For the log's thread: the flush that was requested since the last check, or null. */
	takeAsk(): FlushRequest | null {
		const number = Atomics.load(this.#words, words.asked)
		if (number === this.#taken) return null
		this.#taken = number
		return { number, epoch: Atomics.load(this.#words, words.epoch) }
	}

	/** For the log's thread: reports that everything written before the request is on disk. */
	answer({ number }: FlushRequest, flushMs: number): void {
		this.#flushMs[0] = flushMs
		Atomics.store(this.#words, words.answered, number)
		Atomics.notify(this.#words, words.answered)
	}
}

/** One tick's records for one segment. The thread answers `written` (if requested) and, after the next flush, `flushed`. */
export interface Submission {
	type: 'submission'
	seq: number
	/** Incremented by every reopening after a failure. Submissions of a failed epoch are not written any more. */
	epoch: number
	/** Present when a new segment starts with these records: flush and close the previous one, create the file. */
	open: { number: number; header: Uint8Array; lastEndsAt: number | null } | null
	/** Number of the segment, and position of the run in it. */
	number: number
	at: number
	run: Uint8Array
	wantsWritten: boolean
	flush: boolean
	/** Up to where to prepare the file for writes of the recording thread; 0: not at all. */
	prepareTo: number
}

/** A range of a segment that the log's thread has filled with zeros and flushed. */
export interface Prepared {
	number: number
	/** File descriptor, valid in the whole process. The thread closes it when the next segment is opened. */
	fd: number
	end: number
}

/** Work on other files of the log, done between flushes. */
export type Job =
	| { name: 'append-manifest'; bytes: Uint8Array; flush: boolean }
	| { name: 'replace-manifest'; bytes: Uint8Array }
	| { name: 'remove-segments'; numbers: number[] }
	| { name: 'quarantine'; file: string; bytes: Uint8Array }
	| { name: 'quarantine-segment'; number: number }
	| { name: 'sync-segment'; number: number }
	/** Truncates what is prepared and will not be used. */
	| { name: 'trim-segment'; end: number }
	/** Prepares more of a segment, ahead of the writes of the recording thread. */
	| { name: 'extend-segment'; number: number; from: number; to: number }
	| { name: 'measure-space' }
	| { name: 'close' }

export type ToThread =
	| Submission
	/** The recording thread could not write, so its segment is abandoned. */
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
	/** Memory of the `FlushSignal`. */
	signalMemory: SharedArrayBuffer
}

export interface LogThreadEvents {
	onWritten(seq: number): void
	onFlushed: (seq: number, flushMs: number) => void
	/** Part of the file is prepared for direct writes of this thread, provided that the submission `seq` was the last. */
	onPrepared(seq: number, prepared: Prepared): void
	/** Free bytes on the log's disk. */
	onSpace(freeBytes: number): void
	/** A write or flush failed, or the thread died: nothing of this epoch that was not flushed may be relied on. */
	onFailed(epoch: number, message: string): void
}

/** The main thread's handle on the thread that writes the log. */
export class LogThread {
	readonly #place: LogPlace
	readonly #name: string
	#events: LogThreadEvents | null = null
	#worker: Worker | null = null
	/** Belongs to this worker alone: requests to a dead worker stay unanswered. */
	#signal = new FlushSignal()
	#closing = false
	#jobs = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
	#nextJob = 1

	constructor(place: LogPlace, name = 'log-flush') {
		this.#place = place
		this.#name = name
	}

	listen(events: LogThreadEvents): void {
		this.#events = events
	}

	submit(submission: Submission): void {
		this.#post(submission, [submission.run.buffer as ArrayBuffer])
	}

	/** Requests a flush of what this thread has written itself. */
	flush(seq: number, epoch: number): void {
		this.#worker ??= this.#start()
		if (this.#events) this.#signal.ask(seq, epoch, this.#events.onFlushed)
	}

	/** Abandons the segment of this epoch, because this thread could not write to it. */
	abandon(epoch: number): void {
		this.#post({ type: 'abandon', epoch }, [])
	}

	/** Resolves when the thread has done the job; rejects with the reason if it could not. */
	run(job: Job): Promise<void> {
		if (this.#closing) return Promise.reject(new Error('The log is closed'))
		const id = this.#nextJob++
		return new Promise((resolve, reject) => {
			this.#jobs.set(id, { resolve, reject })
			this.#post({ type: 'job', id, job }, [])
		})
	}

	/** Flushes and closes the files and ends the thread. */
	async close(): Promise<void> {
		if (!this.#worker) return
		const closed = this.run({ name: 'close' })
		this.#closing = true
		await closed.catch(() => undefined)
		await this.#worker?.terminate()
	}

	#post(message: ToThread, transfer: ArrayBuffer[]): void {
		this.#worker ??= this.#start()
		this.#worker.postMessage(message, transfer)
		this.#signal.wake()
	}

	#start(): Worker {
		this.#signal = new FlushSignal()
		const workerData: ThreadData = { ...this.#place, signalMemory: this.#signal.memory }
		const worker = new Worker(new URL('./segment-thread.ts', import.meta.url), {
			name: this.#name,
			workerData,
			env: compiledCodeEnvironment(),
			// This thread writes to files that the other one opened; they must stay open when that thread dies.
			trackUnmanagedFds: false,
		})
		worker.on('message', (message: FromThread) => this.#receive(message))
		worker.on('error', (error) => this.#died(worker, String(error)))
		worker.on('exit', () => this.#died(worker, 'the log thread ended'))
		return worker
	}

	#receive(message: FromThread): void {
		if (message.type === 'written') this.#events?.onWritten(message.seq)
		else if (message.type === 'flushed') this.#events?.onFlushed(message.seq, message.flushMs)
		else if (message.type === 'prepared') this.#events?.onPrepared(message.seq, message)
		else if (message.type === 'space') this.#events?.onSpace(message.freeBytes)
		else if (message.type === 'failed') this.#events?.onFailed(message.epoch, message.message)
		else this.#finishJob(message.id, message.error)
	}

	#finishJob(id: number, error: string | null): void {
		const job = this.#jobs.get(id)
		this.#jobs.delete(id)
		if (error === null) job?.resolve()
		else job?.reject(new Error(error))
	}

	#died(worker: Worker, message: string): void {
		if (this.#worker !== worker) return
		this.#worker = null
		for (const id of [...this.#jobs.keys()]) this.#finishJob(id, message)
		if (!this.#closing) this.#events?.onFailed(Number.MAX_SAFE_INTEGER, message)
	}
}
