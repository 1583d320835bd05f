import { type LogEntry, type LogSegment, packRun } from './log-entry.ts'
import { type FileCalls, writeAll } from './log-files.ts'
import type { LogThread, Prepared } from './log-thread.ts'
import { encodeHeader, recordKinds, sealRecords } from './segment-format.ts'

/** Larger runs go to the thread, because copying them would block the event loop. The facts of 32 calls that end together fit. */
export const maxRunBytes = 192 * 1024

/**
 * The part of the current segment into which this thread writes directly. Its blocks and pages are allocated, so a write is a copy
 * of a few microseconds, even while the log's thread flushes. A round trip to that thread takes ten times as long.
 */
export class PreparedPart {
	readonly #files: FileCalls
	#number = 0
	#fd = -1
	/** Position in the segment up to which it is prepared; 0 if nothing is. */
	end = 0
	/** Memory for a run, reused for each run. */
	#run = Buffer.allocUnsafeSlow(0)

	constructor(files: FileCalls) {
		this.#files = files
	}

	set(prepared: Prepared | null): void {
		this.#number = prepared?.number ?? 0
		this.#fd = prepared?.fd ?? -1
		this.end = prepared?.end ?? 0
	}

	/** More of the same segment has been prepared, unless its part was given up meanwhile. */
	extendTo(end: number): void {
		if (this.end > 0) this.end = end
	}

	/** Whether a run of this size can be written here, at the end of the segment. */
	takes({ header, end }: LogSegment, bytes: number): boolean {
		return bytes <= maxRunBytes && end + bytes <= this.end && header.number === this.#number
	}

	/** Writes a run of this size, whose end is the segment's. Throws the disk's error. */
	write({ segment, entries }: InFlight, bytes: number): void {
		if (this.#run.length === 0) this.#run = Buffer.allocUnsafeSlow(maxRunBytes)
		const run = this.#run.subarray(0, bytes)
		packRun(run, entries, segment)
		sealRecords(run)
		writeAll(this.#files, this.#fd, run, segment.end - bytes)
	}
}

/** Records that were written, or handed to the log's thread, and are not known to be on disk yet. */
export class InFlight {
	readonly seq: number
	readonly segment: LogSegment
	/** The previous segment, if this run ends it. */
	readonly ends: LogSegment | null
	readonly end: number
	readonly entries: LogEntry[]
	/** How many rows the entries add, and how many of their callers wait for the flush. */
	readonly rows: number
	readonly callers: number
	#written = false

	constructor(seq: number, segment: LogSegment, ends: LogSegment | null, entries: LogEntry[]) {
		this.seq = seq
		this.segment = segment
		this.ends = ends
		this.end = segment.end
		this.entries = entries
		let rows = 0
		let callers = 0
		for (const { record, mustFlush } of entries) {
			if (record.kind !== recordKinds.intent) rows += record.count
			if (mustFlush) callers += 1
		}
		this.rows = rows
		this.callers = callers
	}

	notifyWritten(): void {
		if (this.#written) return
		this.#written = true
		for (const entry of this.entries) entry.onWritten?.()
	}
}

/** How much of a segment is prepared. With less than half of it left, more is prepared, so that no call waits for it. */
const maxPrepared = 1024 * 1024
/** With this many callers per flush, the next turn of the event loop is likely to bring more, which then share the next flush. */
const busyCallers = 8
/** After a large run, further large ones are likely, which would only overwrite what was prepared. */
const preparesAgainAfterMs = 100

interface RunTransportOptions {
	thread: LogThread
	/** Extends the prepared part. If `thread` did it, calls would wait longer for their flush. */
	filler: LogThread
	prepared: PreparedPart
	segmentBytes: number
	/** The log's thread may be less busy than before. */
	onFree(): void
}

/** Records to be written into a segment, `bytes` in all. `opens` when the segment starts with them. */
export interface Run {
	segment: LogSegment
	entries: LogEntry[]
	bytes: number
	opens: { ends: LogSegment | null } | null
}

/** The two paths of a run of records into the file: written here into the prepared part, or handed to the log's thread. */
export class RunTransport {
	readonly #options: RunTransportOptions
	#seq = 0
	/** The submission or flush whose answer is outstanding, and whether that comes with the flush. */
	#owed: { seq: number; flush: boolean } | null = null
	/** The last run written here that must be flushed; 0 once the thread has been asked to. */
	#flushWanted = 0
	/** Number of callers that wait for the requested flush, and for the previous one. */
	#callers = 0
	#callersBefore = 0
	#pacing = false
	/** The last run that went to the thread. This thread may write only after it. */
	#lastSubmission = 0
	#lastLargeMs = 0
	/** Set while more is being prepared. */
	#extending: Promise<void> | null = null
	/** There was no disk space to prepare more; tried again after the next run that goes to the thread. */
	#cannotExtend = false
	/** Incremented by every reopening after a failure. */
	epoch = 0

	constructor(options: RunTransportOptions) {
		this.#options = options
	}

	/**
	 * While the thread is busy, another message gains nothing: records that arrive meanwhile are sent together with the next flush.
	 * While more is being prepared, the thread must not write, because the preparation would overwrite it.
	 */
	get threadIsBusy(): boolean {
		return this.#owed !== null || this.#extending !== null
	}

	/** Appends a run to its segment. It is in flight from now on, and must be written or submitted next. */
	depart({ segment, entries, bytes, opens }: Run): InFlight {
		segment.end += bytes
		return new InFlight(++this.#seq, segment, opens?.ends ?? null, entries)
	}

	/** Writes a run into the prepared part. Throws the disk's error. */
	writeHere(inFlight: InFlight, bytes: number): void {
		const { prepared, thread } = this.#options
		try {
			prepared.write(inFlight, bytes)
		} catch (error) {
			thread.abandon(this.epoch)
			throw error
		}
		inFlight.notifyWritten()
		this.#callers += inFlight.callers
		if (this.#callers > 0) this.#flushWanted = inFlight.seq
		this.#askFlush()
		this.#prepareMore(inFlight.segment)
	}

	/** Runs after the flush is requested, which has priority. */
	#prepareMore({ end, header }: LogSegment): void {
		const { prepared, filler } = this.#options
		if (this.#extending || this.#cannotExtend || prepared.end - end >= maxPrepared / 2) return
		const to = this.#prepareTo(end, 0)
		const from = Math.max(end, prepared.end)
		if (to <= from) return
		const job = { name: 'extend-segment', number: header.number, from, to } as const
		const extending: Promise<void> = filler.run(job).then(
			() => this.#endExtending(extending, to),
			() => this.#endExtending(extending, 0),
		)
		this.#extending = extending
	}

	/** `to`: the new end of the prepared part. 0: unchanged, because the disk is full or fails; the next flush reports that. */
	#endExtending(extending: Promise<void>, to: number): void {
		const { prepared, onFree } = this.#options
		// The segment was abandoned meanwhile.
		if (this.#extending !== extending) return
		this.#extending = null
		if (to > 0) prepared.extendTo(to)
		else this.#cannotExtend = true
		onFree()
	}

	/** Hands a run to the log's thread. */
	submit({ seq, segment, entries, callers }: InFlight, { bytes, opens }: Run): void {
		const { header } = segment
		const target = Buffer.allocUnsafeSlow(bytes)
		packRun(target, entries, segment)
		const wantsWritten = entries.some((entry) => entry.onWritten)
		const flush = opens !== null || callers > 0
		this.#options.prepared.set(null)
		this.#lastSubmission = seq
		this.#cannotExtend = false
		this.#options.thread.submit({
			type: 'submission',
			seq,
			epoch: this.epoch,
			open: opens && {
				number: header.number,
				header: encodeHeader(header),
				lastEndsAt: opens.ends?.end ?? null,
			},
			number: header.number,
			at: segment.end - bytes,
			run: target,
			wantsWritten,
			flush,
			prepareTo: this.#prepareTo(segment.end, bytes),
		})
		if (wantsWritten || flush) this.#owed = { seq, flush }
	}

	/** True when the thread is free again. */
	answered(seq: number, flush: boolean): boolean {
		if (!this.#owed || this.#owed.seq > seq || (this.#owed.flush && !flush)) return false
		this.#owed = null
		if (this.#flushWanted <= seq) this.#flushWanted = this.#callers = 0
		this.#askFlush()
		return true
	}

	onPrepared(seq: number, prepared: Prepared): void {
		if (seq === this.#lastSubmission) this.#options.prepared.set(prepared)
	}

	/** Abandons what is in flight; nothing more is written to the old file. */
	startEpoch(): void {
		this.epoch++
		this.#owed = null
		this.#flushWanted = this.#callers = 0
		this.#lastSubmission = 0
		this.#extending = null
		this.#cannotExtend = false
		this.#options.prepared.set(null)
	}

	/** Requests the flush that callers wait for, unless an answer is outstanding; a turn later if they are many. */
	#askFlush(wasPaced = false): void {
		if (this.#flushWanted === 0 || this.#owed || this.#pacing) return
		if (!wasPaced && this.#callersBefore >= busyCallers) {
			this.#pacing = true
			setImmediate(this.#endPace)
			return
		}
		const seq = this.#flushWanted
		this.#options.thread.flush(seq, this.epoch)
		this.#owed = { seq, flush: true }
		this.#callersBefore = this.#callers
		this.#flushWanted = this.#callers = 0
	}

	readonly #endPace = (): void => {
		this.#pacing = false
		this.#askFlush(true)
	}

	#prepareTo(end: number, bytes: number): number {
		const nowMs = performance.now()
		if (bytes > maxRunBytes) this.#lastLargeMs = nowMs
		if (nowMs - this.#lastLargeMs < preparesAgainAfterMs) return 0
		return Math.min(end + maxPrepared, this.#options.segmentBytes)
	}
}
