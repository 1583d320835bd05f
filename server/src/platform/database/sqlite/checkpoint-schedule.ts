import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { compiledCodeEnvironment } from '../../compiled-code.ts'
import type { Log } from '../../log.ts'
import type { Turns } from './turns.ts'

/** A log of this size takes some 50 ms to move and, after a crash, to read. */
const stepBytes = 8 * 1024 * 1024

/**
 * Moves SQLite's write-ahead log into the file when it has grown by 8 MB, in a thread that exists for that long: a
 * checkpoint writes and flushes both files. A thread that fails is told to the log, and the next step tries again.
 */
export class CheckpointSchedule {
	readonly #path: string
	readonly #turns: Turns
	readonly #log: Log
	#nextAtBytes = stepBytes
	#running: Promise<void> | null = null
	#isClosed = false

	constructor(path: string, turns: Turns, log: Log) {
		this.#path = path
		this.#turns = turns
		this.#log = log
	}

	onLogSize(bytes: number): void {
		if (bytes < this.#nextAtBytes || this.#running || this.#isClosed) return
		// A reader of an old state can keep the log from being emptied; then the next step is as far away again.
		this.#nextAtBytes = bytes + stepBytes
		this.#running = this.#checkpoint()
			.catch((error: unknown) => this.#log.warn({ err: error }, 'control store: the checkpoint failed'))
			.finally(() => {
				this.#running = null
			})
	}

	async close(): Promise<void> {
		this.#isClosed = true
		await this.#running
	}

	/** Most of the log is moved while others write; they wait only while the rest is, and the log begins anew. */
	async #checkpoint(): Promise<void> {
		const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
			workerData: this.#path,
			execArgv: [],
			env: compiledCodeEnvironment(),
		})
		const ended = once(worker, 'exit')
		await Promise.race([once(worker, 'message'), ended])
		const endTurn = await this.#turns.take()
		try {
			worker.postMessage('empty the log')
			worker.on('message', (isEmpty: boolean) => {
				if (isEmpty) this.#nextAtBytes = stepBytes
			})
			await ended
		} finally {
			endTurn()
		}
	}
}
