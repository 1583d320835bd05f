import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../platform/clock.ts'
import { type Log, Repeats } from '../../platform/log.ts'
import { backOffMs } from '../../platform/retry.ts'
import { RecentArrivals } from '../blocks/arrived-spans.ts'
import { storedAt, storedAtType } from '../columns.ts'
import type { RowFormat } from '../row-formats.ts'
import type { RowInsert, RowStore } from './insert-missing.ts'
import type { LogSegment } from './log-entry.ts'
import type { LogReader } from './log-reader.ts'
import type { Manifest } from './manifest.ts'
import { type BatchLimits, PendingRows } from './pending-rows.ts'
import {
	type Batch,
	isRefusedAsBadData,
	isShortOfMemory,
	keyOf,
	type Quarantine,
	RefusedBatches,
	toRequest,
} from './quarantine.ts'
import type { BatchPart, BatchRequest } from './read-batch.ts'

export interface ShipperOptions {
	segments: Map<number, LogSegment>
	manifest: Manifest
	reader: LogReader
	store: RowStore
	/** By the format number in records. */
	formats: ReadonlyMap<number, RowFormat>
	log: Log
	limits: BatchLimits
	retryMinMs: number
	retryMaxMs: number
	quarantine: Pick<Quarantine, 'setAside'>
	/** Removes a segment that is final and settled. False if that must wait. */
	retire(segment: LogSegment): Promise<boolean>
}

const maxSleepMs = 60_000
/** Figures may be slightly old rather than late. */
const maxLookMs = 1000
const storedAtStamp = { name: storedAt, type: storedAtType }

/**
 * Ships the log into the engine, one batch at a time. A batch is a fixed range with its own token, and is retried until it is
 * settled.
 */
export class Shipper {
	readonly #options: ShipperOptions
	#wake: (() => void) | null = null
	#stopping = false
	#draining = false
	#running: Promise<void> = Promise.resolve()
	readonly #pending: PendingRows
	readonly #repeats = new Repeats()
	/** When the oldest row of the current batch was flushed. */
	#currentSinceMs: number | null = null
	/** A batch whose manifest line is being written. */
	#beginning: Pick<Batch, 'segment' | 'range'> | null = null
	/** For each open batch, when its inserts began; every time is unique. */
	readonly #insertedMs = new Map<string, number[]>()
	#lastInsertMs = 0
	/** How many times in a row the store did not return its run. */
	#silences = 0
	readonly #refused: RefusedBatches
	/** Batches that may be stored with other times: an earlier process began them, or the store restarted since. */
	readonly #unstamped: Set<string>
	/** Number of holds (backups and queries); no batch begins while there are any. */
	#holds = 0
	#onIdle: (() => void)[] = []
	/** Why the engine did not take the last batch; null if it did. */
	failure: string | null = null
	/** Called after each stored batch. */
	readonly storedListeners = new Set<() => void>()
	readonly arrivals = new RecentArrivals()

	constructor(options: ShipperOptions) {
		this.#options = options
		this.#pending = new PendingRows(options.segments, options.limits)
		this.#refused = new RefusedBatches(options)
		this.#unstamped = new Set(this.#openBatches().map(keyOf))
	}

	start(): void {
		this.#running = this.#run()
	}

	/** More rows are on disk. */
	notify(rows: number, bytes: number): void {
		if (this.#pending.add(rows, bytes)) this.#wake?.()
	}

	/** Somebody queries what was recorded. */
	storeSoon(): void {
		if (this.#pending.storeSoon()) this.#wake?.()
	}

	/** Somebody reads figures: see `Recorder.watched`. */
	async watched(): Promise<boolean> {
		if (!this.#pending.watched()) return false
		const stored = new Promise<boolean>((resolve) => {
			const listener = () => {
				this.storedListeners.delete(listener)
				clearTimeout(timer)
				resolve(true)
			}
			const timer = setTimeout(listener, maxLookMs).unref()
			this.storedListeners.add(listener)
		})
		this.#wake?.()
		return stored
	}

	/** See `PendingRows.holdBackMs`. */
	holdBackMs = (): number => this.#pending.holdBackMs()

	/** There may be segments to remove, although no rows were added. */
	wake(): void {
		this.#wake?.()
	}

	/** From now on, ships without delay. */
	drain(): void {
		this.#draining = true
		this.#wake?.()
	}

	/** Number of flushed rows that are not settled. */
	pendingRows(): number {
		const open = [...this.#options.manifest.state.segments.values()].flatMap((segment) => segment.open)
		return (
			this.#pending.rows +
			(this.#beginning?.range.rows ?? 0) +
			open.reduce((sum, range) => sum + range.rows, 0)
		)
	}

	/**
	 * The ranges of rows that are flushed and not settled, and how to recognise those that the store may have nevertheless by their
	 * `stored_at`: it is one of `insertedMs`, or later than `atMs`. Null where that is not known.
	 */
	unsettled(): { ranges: BatchRequest[]; insertedMs: number[]; atMs: number } | null {
		const open = this.#openBatches()
		if (!this.#options.store.engine || open.some((batch) => this.#unstamped.has(keyOf(batch)))) return null
		const begun = this.#beginning ? [this.#beginning] : []
		const of = ({ segment, range }: Pick<Batch, 'segment' | 'range'>) => toRequest(segment, range)
		this.#lastInsertMs = Math.max(this.#lastInsertMs, systemClock.nowMs())
		return {
			ranges: [
				...[...open, ...begun].map(of),
				...this.#pending.ranges().map(({ segment, from, to }) => toRequest(segment, { from, to })),
			],
			insertedMs: open.flatMap((batch) => this.#insertedMs.get(keyOf(batch)) ?? []),
			atMs: this.#lastInsertMs,
		}
	}

	/** When the oldest unsettled row was flushed (ms since 1970), or null. */
	oldestPendingAtMs(): number | null {
		return this.#currentSinceMs ?? this.#pending.oldestAtMs()
	}

	/**
	 * Stops beginning batches, and resolves with a release function when every begun batch is settled, so that each row is either in
	 * the store or in the log. Rejects when the store does not take them within `waitMs`.
	 */
	async hold(waitMs: number): Promise<() => void> {
		this.#holds += 1
		const release = () => {
			this.#holds -= 1
			this.#wake?.()
		}
		const idle = new Promise<true>((resolve) => this.#onIdle.push(() => resolve(true)))
		this.#wake?.()
		if (await Promise.race([idle, sleep(waitMs, false, { ref: false })])) return release
		release()
		throw new Error(`The telemetry store does not take the log: ${this.failure ?? 'it hangs'}`)
	}

	async stop(): Promise<void> {
		this.#stopping = true
		this.#wake?.()
		await this.#running
	}

	async #run(): Promise<void> {
		while (!this.#stopping) {
			try {
				if (this.#holds === 0) await this.#retireOldest()
				const batch = this.#openBatches()[0] ?? (this.#holds > 0 ? null : await this.#beginNext())
				if (!batch) this.#currentSinceMs = null
				if (batch) await this.#ship(batch)
				else if (this.#holds > 0) await this.#rest()
				else await this.#sleep(this.#draining && this.#pending.rows > 0 ? 0 : this.#pending.waitMs())
			} catch (error) {
				this.failure = error instanceof Error ? error.message : String(error)
				if (this.#repeats.take('failed') > 0)
					this.#options.log.error({ err: error }, 'shipping the telemetry log failed')
				await this.#sleep(this.#options.retryMaxMs)
			}
		}
	}

	#rest(): Promise<void> {
		for (const listener of this.#onIdle.splice(0)) listener()
		return this.#sleep(maxSleepMs)
	}

	/** Begun and not settled, oldest first. */
	#openBatches(): Batch[] {
		return sortedByNumber(this.#options.manifest.state.segments).flatMap(([number, { open }]) => {
			const segment = this.#options.segments.get(number)
			return segment ? open.map((range) => ({ segment, range, stored: [] })) : []
		})
	}

	/** Records the next batch in the manifest, if one is due. */
	async #beginNext(): Promise<Batch | null> {
		if (!this.#draining && !this.#pending.isDue()) return null
		const run = await this.#findRun()
		if (run === null) return null
		const taken = this.#pending.take()
		if (!taken) return null
		// No batch is open.
		this.#insertedMs.clear()
		const { segment, range } = taken
		this.#beginning = taken
		this.#currentSinceMs = taken.sinceMs
		try {
			const { number } = segment.header
			await this.#options.manifest.append([['begin', number, range.from, range.to, range.rows, run]], true)
		} catch (error) {
			taken.putBack()
			throw error
		} finally {
			this.#beginning = null
		}
		return { segment, range: { ...range, run }, stored: [] }
	}

	/** Sends one batch until it is stored, halved, or quarantined. */
	async #ship(batch: Batch): Promise<void> {
		let refusals = 0
		for (let attempt = 0; !this.#stopping; attempt++) {
			try {
				await this.#insert(batch, attempt)
				return
			} catch (error) {
				this.#noteFailure(error, attempt)
				if (isRefusedAsBadData(error) && ++refusals >= this.#refused.allowedRefusals(batch))
					return this.#refused.isolate(batch)
				if (isShortOfMemory(error) && (await this.#takeLess(batch, attempt))) return
				await this.#pause(attempt)
			}
		}
	}

	/** The store has too little memory for the batch. Splits it unless it is one record or was sent only once; false if it stays whole. */
	async #takeLess(batch: Batch, attempt: number): Promise<boolean> {
		this.#pending.takeLess()
		const halves = attempt === 0 ? [] : await this.#refused.split(batch)
		// The failed insert may have stored the rows of some partitions, under the token of the whole range.
		for (const half of halves) this.#unstamped.add(keyOf(half))
		return halves.length > 0
	}

	/** The run of the store to which the next batch is sent; null, after a pause, when the store does not answer. */
	async #findRun(): Promise<string | null> {
		try {
			const run = await this.#options.store.currentRun?.()
			this.#silences = 0
			return run ?? ''
		} catch (error) {
			this.#noteFailure(error, this.#silences)
			await this.#pause(this.#silences++)
			return null
		}
	}

	/**
	 * Whether the batch's token tells what became of an earlier attempt. It does in the run of the store to which the batch was first
	 * sent, even if that attempt is still running.
	 */
	async #isKnownByToken(batch: Batch, attempt: number): Promise<boolean> {
		const { store } = this.#options
		const isInherited = this.#unstamped.has(keyOf(batch))
		if (!store.insertMissing || (attempt === 0 && !isInherited)) return true
		return store.currentRun ? (await store.currentRun()) === batch.range.run : !isInherited
	}

	async #insert(batch: Batch, attempt: number): Promise<void> {
		const { segment, range, stored } = batch
		const byToken = await this.#isKnownByToken(batch, attempt)
		if (!byToken) this.#unstamped.add(keyOf(batch))
		const isStamped = this.#options.store.engine && !this.#unstamped.has(keyOf(batch))
		const parts = await this.#options.reader.readBatch({
			...toRequest(segment, range),
			...(isStamped ? { stamp: storedAtStamp, tellsArrived: this.arrivals.isWanted } : {}),
		})
		for (const part of parts) {
			if (stored.some(({ rowFormat }) => rowFormat === part.rowFormat)) continue
			await this.#insertPart(batch, part, byToken)
			stored.push({ rowFormat: part.rowFormat, rows: part.rows })
		}
		const rows = parts.reduce((sum, part) => sum + part.rows, 0)
		if (rows < range.rows) this.#noteUnreadable(segment, range.rows - rows)
		// Flushed, because the engine flushes the rows but not its record of the token, so after a power cut it would store them twice.
		await this.#options.manifest.append([['done', segment.header.number, range.from, range.to, rows]], true)
		this.failure = null
		this.#pending.takeMore()
		this.#unstamped.delete(keyOf(batch))
		this.#refused.passed(batch)
		for (const listener of this.storedListeners) listener()
	}

	/** Rows that were flushed cannot be read back: the file was deleted, cut or damaged while the program ran. */
	#noteUnreadable(segment: LogSegment, rows: number): void {
		segment.damagedRecords += 1
		this.#options.log.error(
			{ segment: segment.header.number, rows },
			'rows of the telemetry log are lost: the file of the segment was deleted or damaged',
		)
	}

	#insertPart(batch: Batch, { rowFormat, rows, bytes, arrived }: BatchPart, byToken: boolean): Promise<void> {
		const { formats, store } = this.#options
		const { header } = batch.segment
		const { from, to } = batch.range
		const format = formats.get(rowFormat)
		if (!format) throw new Error(`The log has rows of format ${rowFormat}, which this version does not know`)
		const isStamped = format.layouts && store.engine && !this.#unstamped.has(keyOf(batch))
		if (isStamped) {
			this.#stamp(batch, bytes.subarray(bytes.length - 8 * rows))
			if (arrived) this.arrivals.keep(this.#lastInsertMs, rows, arrived)
		}
		const insert: RowInsert = {
			table: format.table,
			columns: isStamped ? [...format.columns, storedAt] : format.columns,
			...(format.layouts && { format: 'Native' }),
			rows: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
			deduplicationToken: `${header.logId}:${header.number}:${from}-${to}/${rowFormat}`,
		}
		return byToken || !store.insertMissing ? store.insertRowBinary(insert) : store.insertMissing(insert)
	}

	/** Writes the time at which the insert began into each row. No other insert of this process has the same time. */
	#stamp(batch: Batch, bytes: Uint8Array): void {
		const key = keyOf(batch)
		this.#lastInsertMs = Math.max(this.#lastInsertMs + 1, systemClock.nowMs())
		this.#insertedMs.set(key, [...(this.#insertedMs.get(key) ?? []), this.#lastInsertMs])
		const time = Buffer.alloc(8)
		time.writeBigInt64LE(BigInt(this.#lastInsertMs))
		Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).fill(time)
	}

	#noteFailure(error: unknown, attempt: number): void {
		this.failure = error instanceof Error ? error.message : String(error)
		if (attempt === 0)
			this.#options.log.warn({ err: error }, 'the telemetry store did not take a batch; it is sent again')
	}

	#pause(attempt: number): Promise<void> {
		const { retryMinMs, retryMaxMs } = this.#options
		return this.#sleep(backOffMs({ firstMs: retryMinMs, maxMs: retryMaxMs }, attempt), false)
	}

	/** Removes the oldest segments whose rows are all settled, in order. */
	async #retireOldest(): Promise<void> {
		for (const segment of [...this.#options.segments.values()]) {
			if (!segment.sealed || segment.flushedEnd < segment.end || segment.marks.some((mark) => mark.rows > 0))
				return
			if ((this.#options.manifest.state.segments.get(segment.header.number)?.open.length ?? 0) > 0) return
			if (!(await this.#options.retire(segment))) return
		}
	}

	/** `wakeable`: whether new rows end the sleep early. */
	#sleep(ms: number, wakeable = true): Promise<void> {
		if (this.#stopping) return Promise.resolve()
		return new Promise((resolve) => {
			const end = () => {
				clearTimeout(timer)
				this.#wake = null
				resolve()
			}
			const timer = setTimeout(end, Math.min(Math.max(0, ms), maxSleepMs))
			this.#wake = () => {
				if (wakeable || this.#stopping) end()
			}
		})
	}
}

function sortedByNumber<Value>(map: ReadonlyMap<number, Value>): [number, Value][] {
	return [...map].sort(([a], [b]) => a - b)
}
