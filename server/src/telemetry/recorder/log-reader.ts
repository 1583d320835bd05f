import { Worker } from 'node:worker_threads'
import { compiledCodeEnvironment } from '../../platform/compiled-code.ts'
import type { BatchMiddle, BatchPart, BatchRequest, NewestPart, NewestRequest } from './read-batch.ts'
import type { Replay, ReplayRequest } from './replay-segments.ts'

export type ReadRequest =
	| { name: 'replay'; segments: ReplayRequest[] }
	| { name: 'batch'; range: BatchRequest }
	| { name: 'middle'; range: BatchRequest }
	| { name: 'records'; range: BatchRequest }
	| { name: 'newest'; newest: NewestRequest }

/** `type`: the error's type, where the rows themselves are at fault. */
export interface ReadFailure {
	message: string
	type?: string
}

interface Waiting {
	resolve: (result: unknown) => void
	reject: (error: Error) => void
}

/** The main thread's handle on the thread that reads the log. */
export class LogReader {
	readonly #directory: string
	#worker: Worker | null = null
	#waiting = new Map<number, Waiting>()
	#nextId = 1

	constructor(directory: string) {
		this.#directory = directory
	}

	/**
	 * Ends the thread afterwards, because an idle one would hold 12 MB until the first row arrives. Without segments, none is started:
	 * that would take 100 ms of processor time.
	 */
	async replay(segments: ReplayRequest[]): Promise<Replay> {
		if (segments.length === 0) return { segments: [], openIntents: [], announced: [], ended: [], keys: [] }
		try {
			return await this.#ask({ name: 'replay', segments })
		} finally {
			await this.close()
		}
	}

	/** Overwrites the memory of the previous result. */
	readBatch(range: BatchRequest): Promise<BatchPart[]> {
		return this.#ask({ name: 'batch', range })
	}

	findMiddle(range: BatchRequest): Promise<BatchMiddle | null> {
		return this.#ask({ name: 'middle', range })
	}

	readRecords(range: BatchRequest): Promise<Uint8Array> {
		return this.#ask({ name: 'records', range })
	}

	writeNewest(newest: NewestRequest): Promise<NewestPart[]> {
		return this.#ask({ name: 'newest', newest })
	}

	async close(): Promise<void> {
		await this.#worker?.terminate()
	}

	#ask<Result>(request: ReadRequest): Promise<Result> {
		const id = this.#nextId++
		this.#worker ??= this.#start()
		const worker = this.#worker
		return new Promise((resolve, reject) => {
			this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject })
			worker.postMessage({ id, request })
		})
	}

	#start(): Worker {
		const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
			name: 'log-read',
			workerData: { directory: this.#directory },
			env: compiledCodeEnvironment(),
		})
		worker.on(
			'message',
			({ id, result, error }: { id: number; result: unknown; error: ReadFailure | null }) =>
				this.#settle(id, result, error),
		)
		worker.on('error', (error) => this.#died(worker, String(error)))
		worker.on('exit', () => this.#died(worker, 'the reading thread ended'))
		return worker
	}

	#settle(id: number, result: unknown, error: ReadFailure | null): void {
		const waiting = this.#waiting.get(id)
		this.#waiting.delete(id)
		if (error === null) waiting?.resolve(result)
		else waiting?.reject(Object.assign(new Error(error.message), error.type && { type: error.type }))
	}

	#died(worker: Worker, reason: string): void {
		if (this.#worker !== worker) return
		this.#worker = null
		for (const id of [...this.#waiting.keys()]) this.#settle(id, null, { message: reason })
	}
}
