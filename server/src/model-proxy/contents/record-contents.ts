import { Worker } from 'node:worker_threads'
import type { Log } from '../../platform/log.ts'
import type { Exchange, ExchangeRecorder, SpanRow } from '../../telemetry/index.ts'
import type { AnswerBody, ContentsJob, ContentsResult, RequestBody } from './contents-protocol.ts'

/** Bodies that wait for the thread; what comes beyond is not recorded. */
const waitingLimitBytes = 64 * 1024 * 1024

interface Waiting {
	bytes: number
	session: PromiseWithResolvers<string>
	contents: PromiseWithResolvers<Extract<ContentsResult, { kind: 'contents' }> | null>
}

/** Takes the bodies of calls apart in a thread of its own and records what they carried, off the way of the calls. */
export class ContentsRecorder {
	readonly #exchanges: ExchangeRecorder
	readonly #log: Log
	readonly #waiting = new Map<number, Waiting>()
	readonly #writing = new Set<Promise<void>>()
	#jobs: ContentsJob[] = []
	#thread: Worker | null = null
	#waitingBytes = 0
	#nextId = 1

	constructor(exchanges: ExchangeRecorder, log: Log) {
		this.#exchanges = exchanges
		this.#log = log
	}

	/** Begins with a call's request; null when there is no room. */
	open(asked: Omit<RequestBody, 'rules'>): CallContents | null {
		const request = { ...asked, rules: this.#exchanges.rulesOf(asked.workspaceId) }
		const bytes = request.body.length
		if (this.#waitingBytes + bytes > waitingLimitBytes) return null
		const id = this.#nextId++
		const waiting = {
			bytes,
			session: Promise.withResolvers<string>(),
			contents: Promise.withResolvers(),
		} as Waiting
		this.#waiting.set(id, waiting)
		this.#waitingBytes += bytes
		this.#post({ id, kind: 'request', request })
		return {
			session: waiting.session.promise,
			record: (span, answer) => this.#track(this.#record(id, waiting, span, answer)),
			drop: () => {
				this.#post({ id, kind: 'drop' })
				this.#settle(id)
			},
		}
	}

	/** Until everything that was begun is written. */
	async close(): Promise<void> {
		await Promise.all(this.#writing)
		await this.#thread?.terminate()
	}

	#track(writing: Promise<void>): void {
		this.#writing.add(writing)
		void writing.finally(() => this.#writing.delete(writing))
	}

	async #record(id: number, waiting: Waiting, span: SpanRow, answer: AnswerBody): Promise<void> {
		this.#post({ id, kind: 'answer', answer })
		const read = await waiting.contents.promise
		if (!read?.contents) return
		try {
			await this.#exchanges.record({ ...subjectOf(span), ...read.contents }, read.texts)
		} catch (error) {
			this.#post({ id: 0, kind: 'forget' })
			this.#log.warn({ err: error }, 'model call: its messages are not recorded')
		}
	}

	/** All of one turn of the event loop go in one message: each wakes the thread. */
	#post(job: ContentsJob): void {
		if (this.#jobs.push(job) === 1) setImmediate(() => this.#send())
	}

	#send(): void {
		this.#thread ??= this.#start()
		this.#thread.postMessage(this.#jobs)
		this.#jobs = []
	}

	#start(): Worker {
		const thread = new Worker(new URL('./contents-thread.ts', import.meta.url))
		thread.unref()
		thread.on('message', (results: ContentsResult[]) => {
			for (const result of results) this.#take(result)
		})
		thread.once('error', (error) =>
			this.#log.error({ err: error }, 'model call: the thread of messages failed'),
		)
		thread.once('exit', () => {
			this.#thread = null
			for (const id of this.#waiting.keys()) this.#settle(id)
		})
		return thread
	}

	#take(result: ContentsResult): void {
		const waiting = this.#waiting.get(result.id)
		if (result.kind === 'session') waiting?.session.resolve(result.session)
		else {
			waiting?.contents.resolve(result)
			this.#settle(result.id)
		}
	}

	#settle(id: number): void {
		const waiting = this.#waiting.get(id)
		if (!waiting) return
		this.#waiting.delete(id)
		this.#waitingBytes -= waiting.bytes
		waiting.session.resolve('')
		waiting.contents.resolve(null)
	}
}

/** What one call carries, while it runs. */
export interface CallContents {
	/** The session that its messages go on with; '' when its client names one, or it is no conversation. */
	session: Promise<string>
	/** Of a call that has ended: in the background. */
	record(span: SpanRow, answer: AnswerBody): void
	/** Nothing is recorded. */
	drop(): void
}

function subjectOf(
	span: SpanRow,
): Omit<Exchange, 'parts' | 'toolUses' | 'results' | 'cacheMarks' | 'cacheSeconds'> {
	const { workspaceId, traceId, spanId, startNs, sessionId, userId } = span
	return { workspaceId, traceId, spanId, startNs, sessionId, userId }
}
