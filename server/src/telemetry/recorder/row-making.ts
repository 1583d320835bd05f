import type { Log } from '../../platform/log.ts'
import { type FactsKind, madeFormat } from './call-facts.ts'
import { type LogEntry, type LogSegment, newLogEntry } from './log-entry.ts'
import { type LogRecord, recordKinds } from './segment-format.ts'
import type { SegmentWriter } from './segment-writer.ts'

/** Where a record lies in the log. */
export interface RecordPlace {
	segment: number
	at: number
	bytes: number
}

/** A call that has ended, by what the log holds of it. */
export interface EndedCall {
	/** 32 hex digits. */
	id: string
	facts: FactsKind
	workspaceId: string
	announced: RecordPlace
	ended: RecordPlace
	/** When its end was flushed, in ms since 1970. */
	atMs: number
}

/** What is needed to read and open the records of a segment. */
export interface SealedSegment {
	number: number
	marker: Uint8Array
	key: Uint8Array
}

export interface CallBatch {
	/** Of the log. */
	directory: string
	segments: SealedSegment[]
	calls: readonly EndedCall[]
	/** Whether their bodies are left alone: reading them has failed again and again. */
	bare: boolean
}

/** The rows of some calls of one workspace: `bytes` as `encodeMadeRows` writes them. */
export interface MadeRecord {
	workspaceId: string
	calls: number
	/** Rows. */
	count: number
	bytes: Uint8Array
}

/** What became of a batch. Each of its calls is in one record, or cannot be read. */
export interface MadeRows {
	records: MadeRecord[]
	/** Calls of which nothing can be read. */
	unreadable: number
}

/** Makes rows of calls. */
export type MakeRows = (batch: CallBatch) => Promise<MadeRows>

export interface RowMakingOptions {
	directory: string
	segments: ReadonlyMap<number, LogSegment>
	keyOf(segment: LogSegment): Uint8Array
	writer: Pick<SegmentWriter, 'add'>
	log: Log
	/** The rows of some calls are in the log. */
	onMade(record: LogRecord): void
	retryMs: number
}

/** Nobody waits for the rows of a call: what ends meanwhile is made in the same batch. */
const gatherMs = 20
/** While many calls end, larger batches cost less. */
const busyGatherMs = 250
const busyCalls = 64
const mostCalls = 2048
const mostBytes = 16 * 1024 * 1024
const bareAfterFailures = 3
/** As much as the log takes in a turn without its thread, calls beside it. */
const writtenAtOnceBytes = 96 * 1024

/**
 * Turns what calls have left in the log into rows, in the order in which they ended, each once: the rows of a call are one record,
 * and as long as that is not in the log a start finds the call again.
 */
export class RowMaking {
	readonly #options: RowMakingOptions
	#make: MakeRows | null = null
	/** In the order in which they ended. */
	#waiting: EndedCall[] = []
	/** Calls among the first waiting ones of which the rows are in the log. */
	#made = 0
	/** How many waiting calls have a record in a segment. */
	readonly #needed = new Map<number, number>()
	#running: Promise<void> | null = null
	#timer: NodeJS.Timeout | null = null
	#stopped = false
	#failures = 0
	#lastBatch = 0
	#taken = 0
	#done = 0
	readonly #onDone = new Set<{ upTo: number; resolve: () => void }>()

	constructor(options: RowMakingOptions) {
		this.#options = options
	}

	/** Calls of which there are no rows yet. */
	get size(): number {
		return this.#waiting.length - this.#made
	}

	oldestAtMs(): number | null {
		return this.#waiting[0]?.atMs ?? null
	}

	add(call: EndedCall): void {
		this.#waiting.push(call)
		this.#taken += 1
		this.#count(call, 1)
		this.#schedule()
	}

	/** From now on rows are made. */
	start(make: MakeRows): void {
		this.#make = make
		this.#schedule()
	}

	/** Whether a segment holds what rows are still to be made of. */
	needs(segment: number): boolean {
		return this.#needed.has(segment)
	}

	/** Resolves when there are rows of every call that has ended by now. */
	settled(): Promise<void> {
		if (this.size === 0) return Promise.resolve()
		this.#begin()
		return new Promise((resolve) => this.#onDone.add({ upTo: this.#taken, resolve }))
	}

	async stop(): Promise<void> {
		this.#stopped = true
		if (this.#timer) clearTimeout(this.#timer)
		await this.#running
	}

	#count({ announced, ended }: EndedCall, by: 1 | -1): void {
		this.#countIn(announced.segment, by)
		this.#countIn(ended.segment, by)
	}

	#countIn(segment: number, by: 1 | -1): void {
		const left = (this.#needed.get(segment) ?? 0) + by
		if (left === 0) this.#needed.delete(segment)
		else this.#needed.set(segment, left)
	}

	#schedule(): void {
		if (!this.#make || this.#stopped || this.#running || this.#timer || this.size === 0) return
		const delayMs = this.#lastBatch >= busyCalls ? busyGatherMs : gatherMs
		this.#timer = setTimeout(() => this.#begin(), delayMs)
	}

	#begin(): void {
		if (this.#timer) clearTimeout(this.#timer)
		this.#timer = null
		if (!this.#make || this.#stopped || this.#running || this.size === 0) return
		this.#running = this.#run(this.#make).finally(() => {
			this.#running = null
			if (this.#onDone.size > 0) this.#begin()
			else this.#schedule()
		})
	}

	async #run(make: MakeRows): Promise<void> {
		const calls = this.#nextBatch()
		try {
			const { records, unreadable } = await make(this.#toBatch(calls))
			this.#failures = 0
			this.#lastBatch = calls.length
			if (unreadable > 0)
				this.#options.log.error({ calls: unreadable }, 'what the log holds of calls cannot be read')
			await this.#write(records)
			this.#settle(calls)
		} catch (error) {
			this.#failures += 1
			this.#options.log.error({ err: error, calls: calls.length }, 'making rows of calls failed')
			if (!this.#stopped) await new Promise((resolve) => setTimeout(resolve, this.#options.retryMs))
		}
	}

	/** After a failure call by call, so that one does not hold up the others for good. */
	#nextBatch(): EndedCall[] {
		const most = this.#failures > 0 ? 1 : mostCalls
		let bytes = 0
		let end = 0
		for (; end < this.#waiting.length && end < most; end += 1) {
			const { announced, ended } = this.#waiting[end] as EndedCall
			bytes += announced.bytes + ended.bytes
			if (end > 0 && bytes > mostBytes) break
		}
		return this.#waiting.slice(0, end)
	}

	#toBatch(calls: readonly EndedCall[]): CallBatch {
		const { directory, segments, keyOf } = this.#options
		const numbers = new Set<number>()
		for (const { announced, ended } of calls) numbers.add(announced.segment).add(ended.segment)
		const sealed = [...numbers].flatMap((number) => {
			const segment = segments.get(number)
			return segment ? [{ number, marker: segment.header.marker, key: keyOf(segment) }] : []
		})
		return { directory, segments: sealed, calls, bare: this.#failures >= bareAfterFailures }
	}

	/** In portions that the log takes without its thread, which a flood of large records would keep busy. */
	async #write(records: readonly MadeRecord[]): Promise<void> {
		const written: Promise<void>[] = []
		let bytes = 0
		for (const record of records) {
			bytes += record.bytes.length
			written.push(this.#record(record))
			if (bytes < writtenAtOnceBytes) continue
			bytes = 0
			await new Promise((resolve) => setImmediate(resolve))
		}
		await Promise.all(written)
	}

	#record({ workspaceId, calls, count, bytes }: MadeRecord): Promise<void> {
		const { writer, onMade } = this.#options
		// Whose rows they are stands in the bytes.
		const key = ''.padEnd(32, '0')
		const record = { kind: recordKinds.made, rowFormat: madeFormat, key, workspaceId, count, bytes }
		return new Promise((resolve) => {
			const entry: LogEntry = newLogEntry(record, {
				mustFlush: true,
				keep: true,
				onFlushed: () => {
					this.#made += calls
					onMade(record)
					resolve()
				},
			})
			writer.add(entry)
		})
	}

	#settle(calls: readonly EndedCall[]): void {
		this.#waiting = this.#waiting.slice(calls.length)
		this.#made = 0
		for (const call of calls) this.#count(call, -1)
		this.#done += calls.length
		for (const wait of this.#onDone) {
			if (wait.upTo > this.#done) continue
			this.#onDone.delete(wait)
			wait.resolve()
		}
	}
}
