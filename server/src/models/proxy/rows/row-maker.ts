import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { ChangeKind, View } from '../../../platform/changes.ts'
import { compiledCodeEnvironment } from '../../../platform/compiled-code.ts'
import type { Log } from '../../../platform/log.ts'
import type { CallBatch, LogRecorder, MadeRows } from '../../../telemetry/index.ts'
import { packBatch, unpackRows } from './packed-rows.ts'
import type { FromRowsThread, HandedRules, ToRowsThread } from './rows-thread.ts'

export interface RowMakerDependencies {
	recorder: Pick<LogRecorder, 'makeRows' | 'rowsMade'>
	/** What the rows of a workspace depend on now. */
	rulesOf(workspaceId: string): HandedRules
	log: Log
}

/**
 * A thread that needs more is ended and begun again, so that no body can take the memory of the program. Nearly all that a batch
 * makes is gone with it: in a small young generation a quarter of the thread's time was the collector's.
 */
const resourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 96 }
/** All views wait for what an erasure waits for; a disk that hangs must not make them stale. */
const settleMs = 1000

interface Waiting {
	resolve(answer: FromRowsThread): void
	reject(error: Error): void
}

/** The main thread's end of the thread that makes the rows of calls; it is started by the first of them. */
export class RowMaker implements View {
	/**
	 * An erasure takes texts away: it is told before, so that calls from then on bring their own, and once they are gone. Under
	 * another retention texts that are stored may go before the calls that would refer to them.
	 */
	readonly kinds: readonly ChangeKind[] = ['erasure', 'retention']
	readonly #deps: RowMakerDependencies
	readonly #waiting = new Map<number, Waiting>()
	#worker: Worker | null = null
	#lastId = 0
	#started = false

	constructor(deps: RowMakerDependencies) {
		this.#deps = deps
	}

	/** From now on; once is enough. */
	start(): void {
		if (this.#started) return
		this.#started = true
		this.#deps.recorder.makeRows((batch) => this.make(batch))
	}

	/** Resolves when calls that rely on texts of before are rows in the log, where an erasure finds them. */
	async apply(): Promise<void> {
		if (this.#worker) this.#worker.postMessage({ name: 'forget' } satisfies ToRowsThread)
		await Promise.race([this.#deps.recorder.rowsMade(), sleep(settleMs, undefined, { ref: false })])
	}

	async load(): Promise<void> {}

	/** When there are rows of all calls that have ended; what is not made within `waitMs` is for the next start. */
	async close(waitMs: number): Promise<void> {
		await Promise.race([this.#deps.recorder.rowsMade(), sleep(waitMs, undefined, { ref: false })])
		const worker = this.#worker
		this.#worker = null
		await worker?.terminate()
		for (const id of this.#waiting.keys()) this.#fail(id, new Error('The program ends'))
	}

	async make(batch: CallBatch): Promise<(MadeRows | null)[]> {
		const id = ++this.#lastId
		const workspaces = new Set(batch.calls.map(({ workspaceId }) => workspaceId))
		const rules = new Map(
			[...workspaces].map((workspaceId) => [workspaceId, this.#deps.rulesOf(workspaceId)]),
		)
		const answer = await this.#ask({ name: 'batch', id, batch: packBatch(batch), rules })
		if (!('made' in answer)) throw new Error('The thread that makes rows answered something else')
		for (const err of answer.errors)
			this.#deps.log.error({ err }, 'model call: its rows could not be made as they should be')
		return unpackRows(answer.made)
	}

	/** The session that the messages of a call go on with, by what it announces; '' for none, or where nobody knows. */
	async sessionOf(announced: Uint8Array): Promise<string> {
		const answer = await this.#ask({ name: 'session', id: ++this.#lastId, announced }).catch(() => null)
		return answer && 'session' in answer ? answer.session : ''
	}

	#ask(question: Extract<ToRowsThread, { id: number }>): Promise<FromRowsThread> {
		this.#worker ??= this.#start()
		const worker = this.#worker
		return new Promise((resolve, reject) => {
			this.#waiting.set(question.id, { resolve, reject })
			worker.postMessage(question)
		})
	}

	#start(): Worker {
		const worker = new Worker(new URL('./rows-thread.ts', import.meta.url), {
			resourceLimits,
			env: compiledCodeEnvironment(),
		})
		worker.unref()
		worker.on('message', (answer: FromRowsThread) => {
			this.#waiting.get(answer.id)?.resolve(answer)
			this.#waiting.delete(answer.id)
		})
		worker.once('error', (error) => this.#ended(worker, error))
		worker.once('exit', () => this.#ended(worker, new Error('The thread that makes rows ended')))
		return worker
	}

	#ended(worker: Worker, error: Error): void {
		if (this.#worker !== worker) return
		this.#worker = null
		for (const id of this.#waiting.keys()) this.#fail(id, error)
	}

	#fail(id: number, error: Error): void {
		this.#waiting.get(id)?.reject(error)
		this.#waiting.delete(id)
	}
}
