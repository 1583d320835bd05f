import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, Repeats } from '../../platform/log.ts'
import { idBytes, madeFormat, numbersOfCall } from './call-facts.ts'
import { type LogEntry, type LogSegment, newLogEntry } from './log-entry.ts'
import { type LogRecord, recordKinds } from './segment-format.ts'
import type { SegmentWriter } from './segment-writer.ts'

/** Position of a record in the log. */
export interface RecordPlace {
	segment: number
	at: number
	bytes: number
}

/** A call that has ended, and the positions of its facts in the log. */
export interface EndedCall {
	/** 32 hex digits. */
	id: string
	/** One of `factsFormats`. */
	rowFormat: number
	workspaceId: string
	announced: RecordPlace
	ended: RecordPlace
	/** When its end was flushed, in ms since 1970. */
	atMs: number
}

const atMsAt = 8

/**
 * Calls that have ended, in order, in a few arrays. Under load they wait for a quarter of a second. As separate objects they would
 * outlive V8's young generation, and collecting them would be the largest cost of the whole step.
 */
export class EndedCalls implements Iterable<EndedCall> {
	length = 0
	workspaces: string[] = []
	/**
	 * For each call: format of its facts, index of its workspace; segment, position and length of its announcement and of its end; time at
	 * which the end was flushed.
	 */
	numbers: Float64Array<ArrayBuffer>
	/** 16 bytes for each call. */
	ids: Buffer<ArrayBuffer>
	#byWorkspace = new Map<string, number>()

	constructor(capacity = 64) {
		this.numbers = new Float64Array(capacity * numbersOfCall)
		this.ids = Buffer.from(new ArrayBuffer(capacity * idBytes))
	}

	add({ id, rowFormat, workspaceId, announced, ended, atMs }: EndedCall): void {
		if ((this.length + 1) * idBytes > this.ids.length) this.#grow()
		const { numbers } = this
		const to = this.length * numbersOfCall
		numbers[to] = rowFormat
		numbers[to + 1] = this.#placeOf(workspaceId)
		numbers[to + 2] = announced.segment
		numbers[to + 3] = announced.at
		numbers[to + 4] = announced.bytes
		numbers[to + 5] = ended.segment
		numbers[to + 6] = ended.at
		numbers[to + 7] = ended.bytes
		numbers[to + atMsAt] = atMs
		this.ids.write(id, this.length * idBytes, 'hex')
		this.length += 1
	}

	/** A copy of the first `count` calls. */
	first(count: number): EndedCalls {
		const taken = new EndedCalls(count)
		taken.length = count
		taken.numbers.set(this.numbers.subarray(0, count * numbersOfCall))
		this.ids.copy(taken.ids, 0, 0, count * idBytes)
		for (let to = 0; to < taken.numbers.length; to += numbersOfCall) {
			taken.numbers[to + 1] = taken.#placeOf(this.workspaces[taken.numbers[to + 1] as number] as string)
		}
		return taken
	}

	dropFirst(count: number): void {
		this.numbers.copyWithin(0, count * numbersOfCall, this.length * numbersOfCall)
		this.ids.copyWithin(0, count * idBytes, this.length * idBytes)
		this.length -= count
		if (this.length > 0) return
		this.workspaces = []
		this.#byWorkspace.clear()
	}

	/** The segments of its announcement and of its end, and the size of both together in bytes. */
	recordsOf(at: number): { announcedIn: number; endedIn: number; bytes: number } {
		const { numbers } = this
		const from = at * numbersOfCall
		const bytes = (numbers[from + 4] as number) + (numbers[from + 7] as number)
		return { announcedIn: numbers[from + 2] as number, endedIn: numbers[from + 5] as number, bytes }
	}

	haveRecordsIn(segment: number): boolean {
		for (let from = 0; from < this.length * numbersOfCall; from += numbersOfCall)
			if (this.numbers[from + 2] === segment || this.numbers[from + 5] === segment) return true
		return false
	}

	get oldestAtMs(): number | null {
		return this.length === 0 ? null : (this.numbers[atMsAt] as number)
	}

	*[Symbol.iterator](): Generator<EndedCall> {
		for (let at = 0; at < this.length; at += 1) {
			const from = at * numbersOfCall
			const [rowFormat, workspace, segment, place, bytes, endSegment, endPlace, endBytes, atMs] =
				this.numbers.subarray(from, from + numbersOfCall) as unknown as [
					...[number, number, number, number, number, number, number, number, number],
				]
			yield {
				id: this.ids.toString('hex', at * idBytes, (at + 1) * idBytes),
				rowFormat,
				workspaceId: this.workspaces[workspace] as string,
				announced: { segment, at: place, bytes },
				ended: { segment: endSegment, at: endPlace, bytes: endBytes },
				atMs,
			}
		}
	}

	#grow(): void {
		const numbers = new Float64Array(this.numbers.length * 2)
		numbers.set(this.numbers)
		this.numbers = numbers
		const ids = Buffer.from(new ArrayBuffer(this.ids.length * 2))
		this.ids.copy(ids)
		this.ids = ids
	}

	#placeOf(workspaceId: string): number {
		let place = this.#byWorkspace.get(workspaceId)
		if (place === undefined) {
			place = this.workspaces.push(workspaceId) - 1
			this.#byWorkspace.set(workspaceId, place)
		}
		return place
	}
}

/** What is needed to read and decrypt the records of a segment. */
export interface SealedSegment {
	number: number
	marker: Uint8Array
	key: Uint8Array
}

export interface CallBatch {
	/** Directory of the log. */
	directory: string
	segments: SealedSegment[]
	calls: EndedCalls
	/** Whether to skip their bodies, because reading them has failed repeatedly. */
	bare: boolean
}

/** The rows of some calls of one workspace. `bytes` is encoded by `encodeMadeRows`. */
export interface MadeRecord {
	workspaceId: string
	calls: number
	/** Number of rows. */
	count: number
	bytes: Uint8Array
}

/** The result of a batch. Each call is in one record, or is unreadable. */
export interface MadeRows {
	records: MadeRecord[]
	/** Number of calls whose facts cannot be read. */
	unreadable: number
}

/** Builds rows of calls. */
export type MakeRows = (batch: CallBatch) => Promise<MadeRows>

export interface RowMakingOptions {
	directory: string
	segments: ReadonlyMap<number, LogSegment>
	keyOf(segment: LogSegment): Uint8Array
	writer: Pick<SegmentWriter, 'add' | 'fitsLater'>
	log: Log
	/** The rows of some calls are in the log. */
	onMade(record: LogRecord): void
	retryMs: number
}

/** Nobody waits for the rows of a call, so calls that end within this time join the same batch. */
const gatherMs = 20
/** Larger batches cost less when many calls end. */
const busyGatherMs = 250
const busyCalls = 64
const maxCalls = 2048
const maxBytes = 16 * 1024 * 1024
const bareAfterFailures = 3
/**
 * How often, and for how long each time, the rows of a batch wait for a turn in which they can be written without the log's thread.
 */
const maxTurns = 50
const turnMs = 1

/**
 * Builds rows from the facts of calls, in the order in which they ended, exactly once. The rows of a call are in one record; until
 * that record is in the log, a restart builds them again.
 */
export class RowMaking {
	readonly #options: RowMakingOptions
	#make: MakeRows | null = null
	/** In the order in which they ended. */
	readonly #waiting = new EndedCalls()
	/** How many of the first waiting calls have their rows in the log. */
	#made = 0
	#running: Promise<void> | null = null
	#timer: NodeJS.Timeout | null = null
	#stopped = false
	#failures = 0
	#lastBatch = 0
	/** More calls waited than the last batch took: collecting more would let the log grow. */
	#moreWait = false
	#taken = 0
	#done = 0
	readonly #repeats = new Repeats()
	readonly #onDone = new Set<{ upTo: number; resolve: () => void }>()

	constructor(options: RowMakingOptions) {
		this.#options = options
	}

	/** Number of calls without rows. */
	get size(): number {
		return this.#waiting.length - this.#made
	}

	oldestAtMs(): number | null {
		return this.#waiting.oldestAtMs
	}

	add(call: EndedCall): void {
		this.#waiting.add(call)
		this.#taken += 1
		if (this.size >= maxCalls) this.#begin()
		else this.#schedule()
	}

	/** Starts building rows. */
	start(make: MakeRows): void {
		this.#make = make
		this.#schedule()
	}

	/** Whether a segment holds facts whose rows are not built yet. */
	needs(segment: number): boolean {
		return this.#waiting.haveRecordsIn(segment)
	}

	/** Resolves when every call that has ended by now has its rows. */
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
			if (this.#onDone.size > 0 || this.#moreWait || this.size >= maxCalls) this.#begin()
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
				this.#options.log.error({ calls: unreadable }, 'facts of calls in the telemetry log cannot be read')
			await this.#write(records)
			this.#settle(calls)
		} catch (error) {
			this.#failures += 1
			if (this.#repeats.take('failed') > 0)
				this.#options.log.error({ err: error, calls: calls.length }, 'building rows of calls failed')
			if (!this.#stopped) await sleep(this.#options.retryMs)
		}
	}

	/** After a failure, handles calls one by one, so that a single call cannot block the others. */
	#nextBatch(): EndedCalls {
		const most = this.#failures > 0 ? 1 : maxCalls
		let bytes = 0
		let end = 0
		for (; end < this.#waiting.length && end < most; end += 1) {
			bytes += this.#waiting.recordsOf(end).bytes
			if (end > 0 && bytes > maxBytes) break
		}
		this.#moreWait = end < this.#waiting.length
		return this.#waiting.first(end)
	}

	#toBatch(calls: EndedCalls): CallBatch {
		const { directory, segments, keyOf } = this.#options
		const numbers = new Set<number>()
		for (let at = 0; at < calls.length; at += 1) {
			const { announcedIn, endedIn } = calls.recordsOf(at)
			numbers.add(announcedIn).add(endedIn)
		}
		const sealed = [...numbers].flatMap((number) => {
			const segment = segments.get(number)
			return segment ? [{ number, marker: segment.header.marker, key: keyOf(segment) }] : []
		})
		return { directory, segments: sealed, calls, bare: this.#failures >= bareAfterFailures }
	}

	/**
	 * Writes in portions that need no message to the log's thread. A larger run would go to that thread, and so would everything that
	 * calls write until a new part is prepared. A flood of telemetry leaves no prepared space, so this waits only briefly.
	 */
	async #write(records: readonly MadeRecord[]): Promise<void> {
		const { writer } = this.#options
		const written: Promise<void>[] = []
		let turnsLeft = maxTurns
		for (const record of records) {
			while (writer.fitsLater(record.bytes.length) && turnsLeft-- > 0) await sleep(turnMs)
			written.push(this.#record(record))
		}
		await Promise.all(written)
	}

	#record({ workspaceId, calls, count, bytes }: MadeRecord): Promise<void> {
		const { writer, onMade } = this.#options
		// The key is unused; the workspace is part of the bytes.
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

	#settle(calls: EndedCalls): void {
		this.#waiting.dropFirst(calls.length)
		this.#made = 0
		this.#done += calls.length
		for (const wait of this.#onDone) {
			if (wait.upTo > this.#done) continue
			this.#onDone.delete(wait)
			wait.resolve()
		}
	}
}
