import type { Log } from '../../platform/log.ts'
import { madeFormat } from './call-facts.ts'
import { type LogEntry, newLogEntry } from './log-entry.ts'
import type { LogSegment } from './log-segment.ts'
import { recordKinds } from './segment-format.ts'
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

/** The rows of one call: `bytes` as `encodeMadeRows` writes them. */
export interface MadeRows {
	count: number
	bytes: Uint8Array
}

/** Makes rows of calls, one answer for each, in their order; null where nothing can be read of a call. */
export type MakeRows = (batch: CallBatch) => Promise<(MadeRows | null)[]>

export interface RowMakingOptions {
	directory: string
	segments: ReadonlyMap<number, LogSegment>
	keyOf(segment: LogSegment): Uint8Array
	writer: Pick<SegmentWriter, 'add'>
	log: Log
	/** The rows of a call are in the log. */
	onMade(workspaceId: string, rows: Uint8Array): void
	retryMs: number
}

/** Nobody waits for the rows of a call: what ends meanwhile is made in the same batch. */
const gatherMs = 20
/** While many calls end, larger batches cost less. */
const busyGatherMs = 100
const busyCalls = 64
const mostCalls = 512
const mostBytes = 8 * 1024 * 1024
const bareAfterFailures = 3
/** Half of what the log takes in a turn without its thread. */
const writtenAtOnceBytes = 24 * 1024

/**
 * Turns what calls have left in the log into rows, in the order in which they ended, each once: the rows of a call are one record,
 * and as long as that is not in the log a start finds the call again.
 */
export class RowMaking {
	readonly #options: RowMakingOptions
	#make: MakeRows | null = null
	/** In the order in which they ended; what lies before `#first` is done. */
	#waiting: EndedCall[] = []
	#first = 0
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
		return this.#waiting.length - this.#first
	}

	oldestAtMs(): number | null {
		return this.#waiting[this.#first]?.atMs ?? null
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
		for (const { segment } of [announced, ended]) {
			const left = (this.#needed.get(segment) ?? 0) + by
			if (left === 0) this.#needed.delete(segment)
			else this.#needed.set(segment, left)
		}
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
			const made = await make(this.#toBatch(calls))
			this.#failures = 0
			this.#lastBatch = calls.length
			await this.#write(calls, made)
		} catch (error) {
			this.#failures += 1
			this.#options.log.error({ err: error, calls: calls.length }, 'making rows of calls failed')
			if (!this.#stopped) await new Promise((resolve) => setTimeout(resolve, this.#options.retryMs))
		}
	}

	/** After a failure call by call, so that one does not hold up the others for good. */
	#nextBatch(): EndedCall[] {
		const first = this.#first
		if (this.#failures > 0) return this.#waiting.slice(first, first + 1)
		let bytes = 0
		let end = first
		for (; end < this.#waiting.length && end - first < mostCalls; end += 1) {
			const { announced, ended } = this.#waiting[end] as EndedCall
			bytes += announced.bytes + ended.bytes
			if (end > first && bytes > mostBytes) break
		}
		return this.#waiting.slice(first, end)
	}

	#toBatch(calls: readonly EndedCall[]): CallBatch {
		const { directory, segments, keyOf } = this.#options
		const numbers = new Set(calls.flatMap(({ announced, ended }) => [announced.segment, ended.segment]))
		const sealed = [...numbers].flatMap((number) => {
			const segment = segments.get(number)
			return segment ? [{ number, marker: segment.header.marker, key: keyOf(segment) }] : []
		})
		return { directory, segments: sealed, calls, bare: this.#failures >= bareAfterFailures }
	}

	/** In portions that the log takes without its thread, which a flood of large records would keep busy. */
	async #write(calls: readonly EndedCall[], made: readonly (MadeRows | null)[]): Promise<void> {
		const written: Promise<void>[] = []
		let bytes = 0
		for (const [at, call] of calls.entries()) {
			const rows = made[at] ?? null
			if (rows === null) {
				this.#options.log.error({ id: call.id }, 'what the log holds of a call cannot be read')
				this.#settle(call)
				continue
			}
			bytes += rows.bytes.length
			written.push(this.#record(call, rows))
			if (bytes < writtenAtOnceBytes) continue
			bytes = 0
			await new Promise((resolve) => setImmediate(resolve))
		}
		await Promise.all(written)
	}

	#record(call: EndedCall, { count, bytes }: MadeRows): Promise<void> {
		const { id: key, workspaceId } = call
		const record = { kind: recordKinds.made, rowFormat: madeFormat, key, workspaceId, count, bytes }
		return new Promise((resolve) => {
			const entry: LogEntry = newLogEntry(record, {
				mustFlush: true,
				keep: true,
				onFlushed: () => {
					this.#settle(call)
					this.#options.onMade(workspaceId, bytes)
					resolve()
				},
			})
			this.#options.writer.add(entry)
		})
	}

	/** The list is cut only now and then: to shift it for each call would move all the others. */
	#skip(): void {
		this.#first += 1
		if (this.#first < this.#waiting.length / 2) return
		this.#waiting = this.#waiting.slice(this.#first)
		this.#first = 0
	}

	#settle(call: EndedCall): void {
		if (this.#waiting[this.#first] === call) this.#skip()
		else {
			const at = this.#waiting.indexOf(call, this.#first)
			if (at < 0) return
			this.#waiting.splice(at, 1)
		}
		this.#count(call, -1)
		this.#done += 1
		for (const wait of this.#onDone) {
			if (wait.upTo > this.#done) continue
			this.#onDone.delete(wait)
			wait.resolve()
		}
	}
}
