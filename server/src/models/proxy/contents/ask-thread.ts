import { Worker } from 'node:worker_threads'
import type { Log } from '../../../platform/log.ts'
import type {
	ContentsAnswers,
	ContentsJob,
	ContentsKind,
	ContentsQuestions,
	ContentsResult,
} from './contents-protocol.ts'

type Answer = ContentsAnswers[ContentsKind]

/** A thread that needs more is ended and begun again, so that no body can take the memory of the program. */
const resourceLimits = { maxOldGenerationSizeMb: 1024 }

/** The thread that takes large bodies apart; it is started by the first question. */
export class ContentsThread {
	readonly #log: Log
	readonly #waiting = new Map<number, (answer: Answer) => void>()
	#jobs: ContentsJob[] = []
	#worker: Worker | null = null
	#lastId = 0

	constructor(log: Log) {
		this.#log = log
	}

	/** Null also where the thread ended before its answer. */
	ask<Kind extends ContentsKind>(
		kind: Kind,
		question: ContentsQuestions[Kind],
	): Promise<ContentsAnswers[Kind] | null> {
		const id = ++this.#lastId
		this.#post({ id, kind, ...question } as ContentsJob)
		return new Promise((resolve) => this.#waiting.set(id, resolve as (answer: Answer) => void))
	}

	drop(call: number): void {
		this.#post({ kind: 'drop', call })
	}

	forget(): void {
		if (this.#worker) this.#post({ kind: 'forget' })
	}

	async close(): Promise<void> {
		await this.#worker?.terminate()
	}

	/** All of one turn of the event loop go in one message: each wakes the thread. */
	#post(job: ContentsJob): void {
		if (this.#jobs.push(job) === 1) setImmediate(() => this.#send())
	}

	#send(): void {
		this.#worker ??= this.#start()
		this.#worker.postMessage(this.#jobs)
		this.#jobs = []
	}

	#start(): Worker {
		const worker = new Worker(new URL('./contents-thread.ts', import.meta.url), { resourceLimits })
		worker.unref()
		worker.on('message', (results: ContentsResult[]) => {
			for (const { id, answer } of results) this.#settle(id, answer)
		})
		worker.once('error', (error) =>
			this.#log.error({ err: error }, 'model call: the thread of messages failed'),
		)
		worker.once('exit', () => {
			this.#worker = null
			for (const id of this.#waiting.keys()) this.#settle(id, null)
		})
		return worker
	}

	#settle(id: number, answer: Answer): void {
		this.#waiting.get(id)?.(answer)
		this.#waiting.delete(id)
	}
}
