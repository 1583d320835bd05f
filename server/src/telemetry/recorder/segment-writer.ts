import type { Clock } from '../../platform/clock.ts'
import { type Log, Repeats } from '../../platform/log.ts'
import {
	addMark,
	emptyRecord,
	type LogEntry,
	type LogSegment,
	newLogEntry,
	newLogSegment,
	sumBytes,
} from './log-entry.ts'
import type { LogThread } from './log-thread.ts'
import { type InFlight, maxRunBytes, type PreparedPart, type Run, RunTransport } from './run-transport.ts'
import { headerBytes, newSegmentHeader, type SegmentHeader } from './segment-format.ts'

export interface SegmentWriterOptions {
	thread: LogThread
	filler: LogThread
	prepared: PreparedPart
	/** All segments by number, oldest first. The writer adds new ones. */
	segments: Map<number, LogSegment>
	firstNumber: number
	segmentBytes: number
	/** The key that encrypts the facts of calls in a new segment. */
	keyOf(header: SegmentHeader): Buffer | null
	clock: Clock
	log: Log
	reopenAfterMs: number
	/** Makes the current ends of these segments durable. */
	seal(segments: LogSegment[]): Promise<void>
	/** Is notified when more of a segment is on disk. */
	shipper: { notify(rows: number, bytes: number): void }
}

/** How much of a run that this thread writes by itself may be rows; the rest is kept for calls. */
const maxBesideCalls = maxRunBytes / 2

/**
 * Collects the records of a turn of the event loop, writes them into the prepared part of the segment or hands them to the log's
 * thread, and notifies each when it is on disk.
 */
export class SegmentWriter {
	readonly #options: SegmentWriterOptions
	readonly #transport: RunTransport
	readonly #repeats = new Repeats()
	#nextNumber: number
	#current: LogSegment | null = null
	#tick: LogEntry[] = []
	#tickBytes = 0
	#inFlight: InFlight[] = []
	#kept: LogEntry[] = []
	/** Flushed bytes that the shipper does not know of yet. */
	#uncountedBytes = 0
	/** Segments truncated after a failure, until that is durable. */
	#cut = new Set<LogSegment>()
	#closed = false
	/** Whether the next record starts a new segment. */
	#ending = false
	#reopenTimer: NodeJS.Timeout | null = null
	/** Null while the log accepts records; otherwise the reason why it does not. */
	failure: string | null = 'not opened yet'
	unflushedBytes = 0
	lastFlushMs = 0
	freeBytes = Number.MAX_SAFE_INTEGER

	constructor(options: SegmentWriterOptions) {
		this.#options = options
		this.#transport = new RunTransport({ ...options, onFree: () => this.#submitSoon() })
		this.#nextNumber = options.firstNumber
		options.thread.listen({
			onWritten: (seq) => this.#written(seq),
			onFlushed: this.#flushed,
			onPrepared: (seq, prepared) => this.#transport.onPrepared(seq, prepared),
			onSpace: (freeBytes) => {
				this.freeBytes = freeBytes
			},
			onFailed: (epoch, message) => this.#failed(epoch, message),
		})
	}

	/** Starts the first segment with these records; resolves when they are on disk. */
	open(entries: LogEntry[]): Promise<void> {
		return this.#openNext(entries)
	}

	add(entry: LogEntry): void {
		if (this.failure !== null) {
			this.#refuse(entry, this.failure)
			return
		}
		this.unflushedBytes += entry.bytes
		// Many records can be added before the next measurement, which corrects this estimate.
		this.freeBytes -= entry.bytes
		this.#tickBytes += entry.bytes
		if (this.#tick.push(entry) === 1) setImmediate(this.#submitTick)
	}

	/** Whether this thread can write this many bytes by itself in a later turn, together with calls, but not in the current one. */
	fitsLater(bytes: number): boolean {
		const segment = this.#current
		if (segment === null || bytes > maxBesideCalls) return false
		return !this.#options.prepared.takes(segment, this.#tickBytes + bytes + maxRunBytes - maxBesideCalls)
	}

	/** Resolves when everything added so far is on disk. */
	flush(): Promise<void> {
		return new Promise((resolve, reject) => {
			const entry = {
				mustFlush: true,
				keep: false,
				onFlushed: () => resolve(),
				onFailed: (reason: string) => reject(new Error(reason)),
			}
			this.add(newLogEntry(emptyRecord, entry))
		})
	}

	/** Lets the next record start a new segment; resolves when that segment is on disk. */
	endSegment(): Promise<void> {
		this.#ending = true
		return this.flush()
	}

	/** Accepts nothing more, stops the attempts to recover from a failure, and records where the last segment ends. */
	async close(): Promise<void> {
		this.#closed = true
		this.failure = 'the log is closed'
		if (this.#reopenTimer) clearTimeout(this.#reopenTimer)
		this.#options.prepared.set(null)
		const current = this.#current
		// Records in flight are left to the next start, which determines the end by itself.
		if (!current || this.#inFlight.length > 0) return
		await this.#options.thread.run({ name: 'trim-segment', end: current.end })
		await this.#options.seal([current])
	}

	#refuse(entry: LogEntry, reason: string): void {
		if (entry.keep) this.#kept.push(entry)
		entry.onFailed?.(reason)
	}

	readonly #submitTick = (): void => {
		const segment = this.#current
		if (this.#tick.length === 0) return
		if (this.failure !== null || !segment) for (const entry of this.#takeTick()) this.#release(entry)
		else if (!this.#ending && this.#options.prepared.takes(segment, this.#tickBytes)) this.#writeHere(segment)
		else if (!this.#transport.threadIsBusy) this.#submitAll(this.#takeTick())
	}

	#takeTick(): LogEntry[] {
		const entries = this.#tick
		this.#tick = []
		this.#tickBytes = 0
		return entries
	}

	#writeHere(segment: LogSegment): void {
		const bytes = this.#tickBytes
		const inFlight = this.#transport.depart({ segment, bytes, entries: this.#takeTick(), opens: null })
		this.#inFlight.push(inFlight)
		try {
			this.#transport.writeHere(inFlight, bytes)
		} catch (error) {
			this.#failed(this.#transport.epoch, error instanceof Error ? error.message : String(error))
		}
	}

	#submitAll(entries: LogEntry[]): void {
		for (let from = 0; from < entries.length; ) from = this.#submitSome(entries, from)
	}

	#release(entry: LogEntry): void {
		this.unflushedBytes -= entry.bytes
		this.#refuse(entry, this.failure ?? 'closed')
	}

	/** Submits as many entries as fit into the current segment (at least one into a new segment). */
	#submitSome(entries: LogEntry[], from: number): number {
		const before = this.#current
		const full =
			!before || this.#ending || before.end + (entries[from]?.bytes ?? 0) > this.#options.segmentBytes
		const segment = full ? this.#startSegment() : before
		let to = from
		let bytes = 0
		do bytes += entries[to++]?.bytes ?? 0
		while (
			to < entries.length &&
			segment.end + bytes + (entries[to]?.bytes ?? 0) <= this.#options.segmentBytes
		)
		this.#submit({ segment, entries: entries.slice(from, to), bytes, opens: full ? { ends: before } : null })
		return to
	}

	#startSegment(): LogSegment {
		this.#ending = false
		if (this.#current) this.#current.sealed = true
		const header = newSegmentHeader(this.#nextNumber++)
		const segment = newLogSegment(header, this.#options.keyOf(header))
		this.#options.segments.set(segment.header.number, segment)
		this.#current = segment
		return segment
	}

	#submit(run: Run): void {
		const inFlight = this.#transport.depart(run)
		this.#inFlight.push(inFlight)
		this.#transport.submit(inFlight, run)
	}

	#submitSoon(): void {
		if (this.#tick.length > 0) setImmediate(this.#submitTick)
	}

	#written(seq: number): void {
		if (this.#transport.answered(seq, false)) this.#submitSoon()
		for (const inFlight of this.#inFlight) {
			if (inFlight.seq > seq) return
			inFlight.notifyWritten()
		}
	}

	readonly #flushed = (seq: number, flushMs: number): void => {
		this.lastFlushMs = flushMs
		while ((this.#inFlight[0]?.seq ?? Number.POSITIVE_INFINITY) <= seq) {
			const done = this.#inFlight.shift()
			if (done) this.#settle(done)
		}
		if (this.#transport.answered(seq, true)) this.#submitSoon()
	}

	#settle(done: InFlight): void {
		const { segment } = done
		const flushedBytes = done.end - segment.flushedEnd
		segment.flushedEnd = done.end
		segment.rows += done.rows
		addMark(segment, { to: done.end, rows: done.rows, atMs: this.#options.clock.nowMs() })
		for (const entry of done.entries) {
			this.unflushedBytes -= entry.bytes
			entry.onFlushed?.(segment)
		}
		// Facts of calls are no rows: the rows that are made from them follow soon, and their bytes are counted with those.
		this.#uncountedBytes += flushedBytes
		if (done.rows > 0) {
			this.#options.shipper.notify(done.rows, this.#uncountedBytes)
			this.#uncountedBytes = 0
		}
		if (done.ends)
			this.#options
				.seal([done.ends])
				.catch((error) => this.#options.log.error({ err: error }, 'sealing a log segment failed'))
	}

	#failed(epoch: number, message: string): void {
		if (epoch < this.#transport.epoch) return
		const wasOpening = this.failure !== null
		if (!wasOpening)
			this.#options.log.error(
				{ reason: message },
				'writing the telemetry log failed; it goes on in a new segment',
			)
		this.failure = message
		this.#transport.startEpoch()
		const lost = this.#giveUpInFlight()
		if (wasOpening) this.#failEntries(lost, message)
		else void this.#reopen(lost)
		this.#submitTick()
	}

	/** Drops the records in flight, truncates the segments where those began, and returns them. */
	#giveUpInFlight(): LogEntry[] {
		const lost = this.#inFlight.flatMap((inFlight) => inFlight.entries)
		const touched = this.#inFlight.flatMap(({ ends, segment }) => (ends ? [ends, segment] : [segment]))
		for (const segment of this.#current ? [...touched, this.#current] : touched) {
			Object.assign(segment, { end: segment.flushedEnd, sealed: true })
			this.#cut.add(segment)
		}
		this.#kept = [...lost.filter((entry) => entry.keep), ...this.#kept]
		this.#inFlight = []
		this.#current = null
		return lost
	}

	/**
	 * Refusals are answered only after it is durable that the failed segment ends before them, so that a refused record never appears.
	 */
	async #reopen(lost: LogEntry[]): Promise<void> {
		const reason = this.failure ?? ''
		try {
			await this.#options.seal([...this.#cut])
			this.#cut.clear()
			await this.#openNext(this.#kept.splice(0))
		} catch (error) {
			// It is tried each second for as long as the disk does not recover.
			if (this.#repeats.take('closed') > 0)
				this.#options.log.error({ err: error }, 'the telemetry log takes no records')
			await this.#dropUnopened()
			if (!this.#closed)
				this.#reopenTimer = setTimeout(() => void this.#reopen([]), this.#options.reopenAfterMs)
		}
		this.#failEntries(lost, reason)
	}

	/** A segment that could not be opened holds nothing. If each attempt left one, a disk that is broken for long would fill memory. */
	async #dropUnopened(): Promise<void> {
		const unopened = [...this.#cut].filter(({ flushedEnd }) => flushedEnd === headerBytes)
		const numbers = unopened.map(({ header }) => header.number)
		const isRemoved = await this.#options.thread.run({ name: 'remove-segments', numbers }).then(
			() => true,
			() => false,
		)
		// Otherwise the manifest will note that it ends before everything that may be in its file.
		if (!isRemoved) return
		for (const segment of unopened) this.#cut.delete(segment)
		for (const number of numbers) this.#options.segments.delete(number)
	}

	#failEntries(lost: LogEntry[], reason: string): void {
		for (const entry of lost) {
			this.unflushedBytes -= entry.bytes
			entry.onFailed?.(reason)
		}
	}

	#openNext(entries: LogEntry[]): Promise<void> {
		return new Promise((resolve, reject) => {
			const opened = () => {
				if (!this.#closed) this.failure = null
				resolve()
			}
			const opening = newLogEntry(emptyRecord, {
				mustFlush: true,
				keep: false,
				onFlushed: opened,
				onFailed: (reason) => reject(new Error(reason)),
			})
			const all = [opening, ...entries]
			const bytes = sumBytes(all)
			this.unflushedBytes += bytes
			this.#submit({ segment: this.#startSegment(), entries: all, bytes, opens: { ends: null } })
		})
	}
}
