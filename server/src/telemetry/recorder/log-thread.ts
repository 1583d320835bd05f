import { Worker } from 'node:worker_threads'
import { compiledCodeEnvironment } from '../../platform/compiled-code.ts'
import {
	FlushSignal,
	type FromThread,
	type Job,
	type LogPlace,
	type Prepared,
	type Submission,
	type ThreadData,
	type ToThread,
} from './thread-protocol.ts'

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
