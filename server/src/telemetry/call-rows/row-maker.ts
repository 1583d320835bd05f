import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { ChangeKind, View } from '../../platform/changes.ts'
import { compiledCodeEnvironment } from '../../platform/compiled-code.ts'
import type { Log } from '../../platform/log.ts'
import { numbersOfCall } from '../recorder/call-facts.ts'
import type { LogRecorder } from '../recorder/recorder.ts'
import type { CallBatch, MadeRows } from '../recorder/row-making.ts'
import { type FactsKind, kindOfFacts } from '../recorder/segment-format.ts'

/** How the rows of one kind of call are built. */
export interface RowsModule {
	/** A module that exports `createRows`, which returns a `RowsOfKind`. */
	module: URL
	/** The current settings of a workspace on which its rows depend, in a form that can be sent to a thread. */
	rulesOf(workspaceId: string): unknown
}

export interface RowMakerDependencies {
	recorder: Pick<LogRecorder, 'makeRows' | 'whenRowsMade'>
	log: Log
}

/** Many calls in few objects, because each object in a message costs both threads as much as a small record. */
export interface PackedBatch extends Omit<CallBatch, 'calls'> {
	/** See `EndedCalls`. */
	places: Float64Array<ArrayBuffer>
	/** 16 bytes for each call. */
	ids: Uint8Array<ArrayBuffer>
	workspaces: readonly string[]
	/** By kind and workspace. */
	rules: ReadonlyMap<FactsKind, ReadonlyMap<string, unknown>>
}

/** Records of rows, one after the other. */
export interface PackedRows {
	bytes: Uint8Array<ArrayBuffer>
	/** For each record: the index of its workspace in the list, its number of calls and of rows, and its end. */
	records: Float64Array<ArrayBuffer>
	unreadable: number
	/** Errors of calls whose rows could not be built as intended. */
	errors: string[]
}

export const numbersOfRecord = 4

export type ToRowsThread =
	| { name: 'batch'; id: number; batch: PackedBatch }
	| { name: 'ask'; id: number; kind: FactsKind; query: unknown }
	/** The thread's knowledge of which texts are stored is no longer valid. */
	| { name: 'forget' }

export type FromRowsThread = { id: number; made: PackedRows } | { id: number; answer: unknown }

/** Sent to the thread: the module of each kind. */
export type RowsModules = ReadonlyMap<FactsKind, string>

/**
 * A thread that needs more memory is ended and restarted, so that no body can exhaust the program's memory. The young generation is
 * large because nearly everything is garbage after its batch: with a small one, the thread spent a quarter of its time on garbage
 * collection.
 */
const resourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 96 }
/** All views wait while an erasure waits for this; a disk that hangs must not make them stale. */
const settleMs = 1000
/** When the program shuts down. */
const closeWaitMs = 3000

interface Waiting {
	resolve(answer: FromRowsThread): void
	reject(error: Error): void
}

/** The main thread's handle on the thread that builds the rows of calls, which is started for the first of them. */
export class RowMaker implements View {
	/**
	 * An erasure deletes texts. The thread is notified before it, so that later calls store their own texts, and again after it. When
	 * the retention changes, stored texts may expire before the calls that would refer to them.
	 */
	readonly kinds: readonly ChangeKind[] = ['erasure', 'retention']
	readonly #deps: RowMakerDependencies
	readonly #modules = new Map<FactsKind, RowsModule>()
	readonly #waiting = new Map<number, Waiting>()
	#worker: Worker | null = null
	#lastId = 0
	#started = false

	constructor(deps: RowMakerDependencies) {
		this.#deps = deps
	}

	/** Call it before `start`. */
	add(kind: FactsKind, module: RowsModule): void {
		this.#modules.set(kind, module)
	}

	/** Starts building rows. Idempotent. */
	start(): void {
		if (this.#started) return
		this.#started = true
		this.#deps.recorder.makeRows((batch) => this.make(batch))
	}

	/** Resolves when calls that refer to earlier texts are rows in the log, where an erasure finds them. */
	async apply(): Promise<void> {
		if (this.#worker) this.#worker.postMessage({ name: 'forget' } satisfies ToRowsThread)
		await Promise.race([this.#deps.recorder.whenRowsMade(), sleep(settleMs, undefined, { ref: false })])
	}

	async load(): Promise<void> {}

	/** Resolves when all calls that have ended have rows. What is not built within `waitMs` is left to the next start. */
	async close(waitMs = closeWaitMs): Promise<void> {
		await Promise.race([this.#deps.recorder.whenRowsMade(), sleep(waitMs, undefined, { ref: false })])
		const worker = this.#worker
		this.#worker = null
		await worker?.terminate()
		for (const id of this.#waiting.keys()) this.#fail(id, new Error('The program ends'))
	}

	async make(batch: CallBatch): Promise<MadeRows> {
		const packed = this.#pack(batch)
		const answer = await this.#ask({ name: 'batch', id: ++this.#lastId, batch: packed })
		if (!('made' in answer)) throw new Error('The thread that makes rows answered something else')
		for (const err of answer.made.errors)
			this.#deps.log.error({ err }, 'the rows of a call could not be built as intended')
		return unpack(answer.made, packed.workspaces)
	}

	/** Queries what the thread knows of one kind of call; null if there is no answer. */
	async ask(kind: FactsKind, query: unknown): Promise<unknown> {
		const asked: ToRowsThread = { name: 'ask', id: ++this.#lastId, kind, query }
		const answer = await this.#ask(asked).catch(() => null)
		return answer && 'answer' in answer ? answer.answer : null
	}

	#pack({ calls, ...batch }: CallBatch): PackedBatch {
		const { numbers: places, ids, workspaces } = calls
		const rules = new Map<FactsKind, Map<string, unknown>>()
		for (let at = 0; at < places.length; at += numbersOfCall) {
			const kind = kindOfFacts(places[at] as number)
			const workspaceId = workspaces[places[at + 1] as number] as string
			const ofKind = rules.get(kind) ?? new Map<string, unknown>()
			rules.set(kind, ofKind)
			if (!ofKind.has(workspaceId))
				ofKind.set(workspaceId, this.#modules.get(kind)?.rulesOf(workspaceId) ?? null)
		}
		return { ...batch, places, ids, workspaces, rules }
	}

	#ask(query: Extract<ToRowsThread, { id: number }>): Promise<FromRowsThread> {
		this.#worker ??= this.#start()
		const worker = this.#worker
		return new Promise((resolve, reject) => {
			this.#waiting.set(query.id, { resolve, reject })
			worker.postMessage(query)
		})
	}

	#start(): Worker {
		const modules: RowsModules = new Map([...this.#modules].map(([kind, { module }]) => [kind, module.href]))
		const worker = new Worker(new URL('./rows-thread.ts', import.meta.url), {
			name: 'call-rows',
			workerData: modules,
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

function unpack({ bytes, records, unreadable }: PackedRows, workspaces: readonly string[]): MadeRows {
	const made: MadeRows['records'] = []
	let from = 0
	for (let at = 0; at < records.length; at += numbersOfRecord) {
		const end = records[at + 3] as number
		made.push({
			workspaceId: workspaces[records[at] as number] as string,
			calls: records[at + 1] as number,
			count: records[at + 2] as number,
			bytes: bytes.subarray(from, end),
		})
		from = end
	}
	return { records: made, unreadable }
}
