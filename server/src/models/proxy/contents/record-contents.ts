import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeKind, View } from '../../../platform/changes.ts'
import type { Log } from '../../../platform/log.ts'
import type { Exchange, ExchangeRecorder, SpanRow } from '../../../telemetry/index.ts'
import { ContentsThread } from './ask-thread.ts'
import type { AnswerBody, ReadContents, RequestBody } from './contents-protocol.ts'
import { Conversations } from './conversations.ts'
import { KnownTexts } from './known-texts.ts'
import { LargeContents } from './large-contents.ts'
import { isSmall, SmallContents } from './small-contents.ts'

/** Bodies that wait for the thread; what comes beyond is not recorded. */
const waitingLimitBytes = 64 * 1024 * 1024

/** All views wait for what an erasure waits for; a disk that hangs must not make them stale. */
const settleMs = 1000

/** What one call carries, while it runs. */
export interface CallContents {
	/** The session that its messages go on with; '' when its client names one, or it is no conversation. */
	readonly session: string | Promise<string>
	/** Of a call that has ended: in the background. `answerId`: under which later requests may go on with its answer. */
	record(span: SpanRow, answer: AnswerBody, answerId: string): void
	/** Nothing is recorded. */
	drop(): void
}

type Reading = ReadContents | null | Promise<ReadContents | null>

/** Takes the bodies of calls apart and records what they carried, off the way of the calls; large ones in a thread of its own. */
export class ContentsRecorder implements View {
	/**
	 * An erasure takes texts away: it is told before, so that calls from then on bring their own, and once they are gone. Under
	 * another retention texts that are stored may go before the calls that would refer to them.
	 */
	readonly kinds: readonly ChangeKind[] = ['erasure', 'retention']
	readonly #exchanges: ExchangeRecorder
	readonly #log: Log
	readonly #writing = new Set<Promise<void>>()
	#waitingBytes = 0
	readonly conversations = new Conversations()
	readonly known = new KnownTexts()
	readonly thread: ContentsThread

	constructor(exchanges: ExchangeRecorder, log: Log) {
		this.#exchanges = exchanges
		this.#log = log
		this.thread = new ContentsThread(log)
	}

	/** When a call is recorded to have begun. */
	startOf(announced: SpanRow): bigint {
		return this.#exchanges.startOf(announced)
	}

	/** Begins with a call's request; null when there is no room. */
	open(asked: Omit<RequestBody, 'rules'>): CallContents | null {
		const request = { ...asked, rules: this.#exchanges.rulesOf(asked.workspaceId) }
		return isSmall(request) ? new SmallContents(this, request) : this.openLarge(request)
	}

	openLarge(request: RequestBody): LargeContents | null {
		if (this.#waitingBytes + request.body.length > waitingLimitBytes) return null
		this.#waitingBytes += request.body.length
		return new LargeContents(this, request, () => {
			this.#waitingBytes -= request.body.length
		})
	}

	/** Later requests may go on with the answer of this one by its id alone. */
	noteAnswer({ caller, freshSession }: RequestBody, answerId: string, { sessionId }: SpanRow): void {
		if (freshSession) this.conversations.noteAnswer(caller, answerId, sessionId)
	}

	/** In the background. */
	write(span: SpanRow, reading: Reading): void {
		const writing = this.#write(span, reading)
		this.#writing.add(writing)
		void writing.then(() => this.#writing.delete(writing))
	}

	async #write(span: SpanRow, reading: Reading): Promise<void> {
		const read = await reading
		if (!read) return
		try {
			await this.#exchanges.record({ ...subjectOf(span), ...read.contents }, read.texts)
		} catch (error) {
			this.forgetTexts()
			this.#log.warn({ err: error }, 'model call: its messages are not recorded')
		}
	}

	/** Nobody knows which texts are stored. */
	forgetTexts(): void {
		this.thread.forget()
		this.known.forget()
	}

	/** Resolves when calls that rely on texts of before are in the log, where an erasure finds them. */
	async apply(): Promise<void> {
		this.forgetTexts()
		await Promise.race([this.#written(), sleep(settleMs, undefined, { ref: false })])
	}

	load(): Promise<void> {
		return this.apply()
	}

	async #written(): Promise<void> {
		await Promise.all(this.#writing)
	}

	/** Until everything that was begun is written. */
	async close(): Promise<void> {
		await this.#written()
		await this.thread.close()
	}
}

function subjectOf(
	span: SpanRow,
): Omit<Exchange, 'parts' | 'toolUses' | 'results' | 'cacheMarks' | 'cacheSeconds'> {
	const { workspaceId, traceId, spanId, startNs, sessionId, userId } = span
	return { workspaceId, traceId, spanId, startNs, sessionId, userId }
}
