import type { Log } from '../../platform/log.ts'
import type { InFlight } from './in-flight.ts'
import { countRows, emptyRecord, type LogEntry, newLogEntry } from './log-entry.ts'
import { addMark, type LogSegment, newLogSegment } from './log-segment.ts'
import type { LogThread } from './log-thread.ts'
import { encodeHeader, newSegmentHeader, writeRecord } from './segment-format.ts'
import { TickPace } from './tick-pace.ts'

export interface SegmentWriterOptions {
	thread: LogThread
	/** All segments by number, oldest first; the writer adds new ones. */
	segments: Map<number, LogSegment>
	firstNumber: number
	segmentBytes: number
	nowMs(): number
	log: Log
	reopenAfterMs: number
	/** Makes it durable that these segments end where they now do. */
	seal(segments: LogSegment[]): Promise<void>
	/** More of a segment is on disk. */
	onFlushed(rows: number, bytes: number): void
}

/** Collects a tick's records, hands them to the log's thread, and tells each when it is on disk. */
export class SegmentWriter {
	readonly #options: SegmentWriterOptions
	#nextNumber: number
	#current: LogSegment | null = null
	#tick: LogEntry[] = []
	#inFlight: InFlight[] = []
	/** The submission whose answer the thread still owes, and whether that comes with the flush. */
	#owed: { seq: number; flush: boolean } | null = null
	#kept: LogEntry[] = []
	/** Segments cut short by a failure, until that is durable. */
	#cut = new Set<LogSegment>()
	#seq = 0
	readonly #pace = new TickPace()
	#epoch = 0
	#closed = false
	#reopenTimer: NodeJS.Timeout | null = null
	/** Null while the log takes records; else why it does not. */
	failure: string | null = 'not opened yet'
	unflushedBytes = 0
	lastFlushMs = 0
	freeBytes = Number.MAX_SAFE_INTEGER

	constructor(options: SegmentWriterOptions) {
		this.#options = options
		this.#nextNumber = options.firstNumber
		options.thread.listen({
			onWritten: (seq) => this.#written(seq),
			onFlushed: (seq, flushMs) => this.#flushed(seq, flushMs),
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
		if (this.#tick.push(entry) === 1) this.#pace.schedule(this.#submitTick)
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

	/** Takes nothing more, ends the attempts to go on after a failure, and notes where the last segment ends. */
	async close(): Promise<void> {
		this.#closed = true
		this.failure = 'the log is closed'
		if (this.#reopenTimer) clearTimeout(this.#reopenTimer)
		const current = this.#current
		// Records under way are left to the next start, which finds the end by itself.
		if (current && this.#inFlight.length === 0) await this.#options.seal([current])
	}

	#refuse(entry: LogEntry, reason: string): void {
		if (entry.keep) this.#kept.push(entry)
		entry.onFailed?.(reason)
	}

	/** While the thread is busy nothing is gained by another message: what comes meanwhile goes in one, with the next flush. */
	readonly #submitTick = (): void => {
		if (this.#owed && this.failure === null) return
		const entries = this.#tick
		this.#tick = []
		if (this.failure !== null || !this.#current) {
			for (const entry of entries) this.#giveBack(entry)
			return
		}
		for (let from = 0; from < entries.length; ) from = this.#submitSome(entries, from)
	}

	#giveBack(entry: LogEntry): void {
		this.unflushedBytes -= entry.bytes
		this.#refuse(entry, this.failure ?? 'closed')
	}

	/** Submits as many entries as the current segment takes (at least one in a new segment). */
	#submitSome(entries: LogEntry[], from: number): number {
		const before = this.#current
		const full = !before || before.end + (entries[from]?.bytes ?? 0) > this.#options.segmentBytes
		const segment = full ? this.#startSegment() : before
		let to = from
		let bytes = 0
		do bytes += entries[to++]?.bytes ?? 0
		while (
			to < entries.length &&
			segment.end + bytes + (entries[to]?.bytes ?? 0) <= this.#options.segmentBytes
		)
		this.#submit(segment, entries.slice(from, to), bytes, full ? { ends: before } : null)
		return to
	}

	#startSegment(): LogSegment {
		if (this.#current) this.#current.sealed = true
		const segment = newLogSegment(newSegmentHeader(this.#nextNumber++))
		this.#options.segments.set(segment.header.number, segment)
		this.#current = segment
		return segment
	}

	#submit(
		segment: LogSegment,
		entries: LogEntry[],
		bytes: number,
		opens: { ends: LogSegment | null } | null,
	): void {
		this.#pace.noteSubmission(entries.length)
		const run = Buffer.allocUnsafeSlow(bytes)
		let at = 0
		for (const entry of entries) at = writeRecord(run, at, entry.record, segment.header.marker)
		segment.end += bytes
		const seq = ++this.#seq
		this.#inFlight.push({
			seq,
			segment,
			ends: opens?.ends ?? null,
			end: segment.end,
			rows: countRows(entries),
			entries,
		})
		const wantsWritten = entries.some((entry) => entry.onWritten)
		const flush = opens !== null || entries.some((entry) => entry.mustFlush)
		const open = opens ? { number: segment.header.number, header: encodeHeader(segment.header) } : null
		this.#options.thread.submit({
			type: 'submission',
			seq,
			epoch: this.#epoch,
			open,
			run,
			wantsWritten,
			flush,
		})
		if (wantsWritten || flush) this.#owed = { seq, flush }
	}

	/** The thread is free again. */
	#answered(seq: number, flush: boolean): void {
		if (!this.#owed || this.#owed.seq > seq || (this.#owed.flush && !flush)) return
		this.#owed = null
		if (this.#tick.length > 0) this.#pace.schedule(this.#submitTick)
	}

	#written(seq: number): void {
		this.#answered(seq, false)
		for (const inFlight of this.#inFlight) {
			if (inFlight.seq > seq) return
			for (const entry of inFlight.entries) {
				entry.onWritten?.()
				delete entry.onWritten
			}
		}
	}

	#flushed(seq: number, flushMs: number): void {
		this.lastFlushMs = flushMs
		this.#answered(seq, true)
		while ((this.#inFlight[0]?.seq ?? Number.POSITIVE_INFINITY) <= seq) {
			const done = this.#inFlight.shift()
			if (done) this.#settle(done)
		}
	}

	#settle(done: InFlight): void {
		const { segment } = done
		const flushedBytes = done.end - segment.flushedEnd
		segment.flushedEnd = done.end
		segment.rows += done.rows
		addMark(segment, { to: done.end, rows: done.rows, atMs: this.#options.nowMs() })
		for (const entry of done.entries) {
			this.unflushedBytes -= entry.bytes
			entry.onFlushed?.(segment)
		}
		this.#options.onFlushed(done.rows, flushedBytes)
		if (done.ends)
			this.#options
				.seal([done.ends])
				.catch((error) => this.#options.log.error({ err: error }, 'sealing a log segment failed'))
	}

	#failed(epoch: number, message: string): void {
		if (epoch < this.#epoch) return
		this.#options.log.error(
			{ reason: message },
			'writing the telemetry log failed; it goes on in a new segment',
		)
		const wasOpening = this.failure !== null
		this.failure = message
		this.#owed = null
		this.#epoch++
		const lost = this.#giveUpInFlight()
		if (wasOpening) this.#failEntries(lost, message)
		else void this.#reopen(lost)
		this.#submitTick()
	}

	/** Forgets what is not on disk, cuts the segments where it began, and returns it. */
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

	/** Refusals are answered only after it is durable that the failed segment ends before them, so that a refused record never appears. */
	async #reopen(lost: LogEntry[]): Promise<void> {
		const reason = this.failure ?? ''
		try {
			await this.#options.seal([...this.#cut])
			this.#cut.clear()
			await this.#openNext(this.#kept.splice(0))
		} catch (error) {
			this.#options.log.error({ err: error }, 'the telemetry log takes no records')
			if (!this.#closed)
				this.#reopenTimer = setTimeout(() => void this.#reopen([]), this.#options.reopenAfterMs)
		}
		this.#failEntries(lost, reason)
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
			const bytes = all.reduce((sum, entry) => sum + entry.bytes, 0)
			this.unflushedBytes += bytes
			this.#submit(this.#startSegment(), all, bytes, { ends: null })
		})
	}
}
