import type { BatchBoundary, LogSegment } from './log-entry.ts'
import type { Range } from './manifest.ts'

/** Batches available after a pause, so that what a person does is stored immediately. */
const maxInHand = 8

/**
 * A token bucket for batches that are due only because of their age. An insert costs the engine much the same for ten rows as for a
 * thousand, and each part must be merged, so a steady stream uses fewer inserts.
 */
export class BatchPace {
	readonly #everyMs: number
	#inHand = maxInHand
	#countedMs = performance.now()

	/** One batch per `everyMs`, once the available ones are used up. */
	constructor(everyMs: number) {
		this.#everyMs = everyMs
	}

	/** Time until the next one may begin, in ms; 0 or less means now. */
	waitMs(): number {
		return (1 - this.#count()) * this.#everyMs
	}

	/** Counts a batch that begins, for whatever reason. */
	begin(): void {
		this.#inHand = Math.max(0, this.#count() - 1)
	}

	#count(): number {
		const now = performance.now()
		this.#inHand = Math.min(maxInHand, this.#inHand + (now - this.#countedMs) / this.#everyMs)
		this.#countedMs = now
		return this.#inHand
	}
}

export interface BatchLimits {
	rows: number
	bytes: number
	/** A batch is due this long after its first row, in ms. */
	delayMs: number
	/** Interval between batches in a steady stream. */
	streamDelayMs: number
	/** The longest interval while nobody reads figures, which are computed from stored rows alone. Default: `streamDelayMs`. */
	unwatchedDelayMs?: number
}

/** More rows than a person causes by hand. Such a backlog is a stream, even after a quiet period. */
const rowsOfStream = 256
/** From this size on, rows rather than statements determine the cost of an insert, so a stream waits at most a second. */
const rowsOfFlood = 8192
const floodDelayMs = 1000
/** The same threshold while nobody reads figures. */
const rowsOfUnwatchedFlood = 32_768
/** How long a reader counts. A dashboard polls every few seconds. */
const watchedForMs = 30_000
/** A stream has ended when no rows were added for this long. */
const streamIsOverMs = 1000

/**
 * In units of the largest batch, not counting the one being inserted. More than arrives between two batches of a flood that the
 * store keeps up with.
 */
const batchesThatMayWait = 0.75
/** Delay per batch of backlog. A few ms are enough if the store nearly keeps up, since senders that wait for an answer send less. */
const holdBackMsOfBatch = 200
const maxHoldBackMs = 1000
/** An insert of the largest batch takes less than this unless the store is stopped. */
const takenWithinMs = 10_000

/** Interval between batches while a reader waits. */
const hurriedEveryMs = 250

/** A batch that is not in the manifest yet. */
interface TakenBatch {
	segment: LogSegment
	range: Range
	/** When its oldest row was flushed, in ms since 1970. */
	sinceMs: number | null
	putBack(): void
}

/** The smallest share of the largest batch, and by how much the share grows with each batch that is stored. */
const minShare = 1 / 256
const shareGrowth = 1.25

/** Flushed rows that are not in a batch yet. */
export class PendingRows {
	readonly #segments: ReadonlyMap<number, LogSegment>
	readonly #limits: BatchLimits
	readonly #pace: BatchPace
	/** Batches have up to this share of the limits: less than 1 while the store is short of memory. */
	#share = 1
	#bytes = 0
	#sinceMs: number | null = null
	#isHurried = false
	#takenMs = Number.NEGATIVE_INFINITY
	#lookedMs = Number.NEGATIVE_INFINITY
	#addedMs = Number.NEGATIVE_INFINITY
	rows = 0

	constructor(segments: ReadonlyMap<number, LogSegment>, limits: BatchLimits) {
		this.#segments = segments
		this.#limits = limits
		this.#pace = new BatchPace(limits.streamDelayMs)
		for (const { marks, flushedEnd, takenTo } of segments.values())
			this.add(sumRows(marks), flushedEnd - takenTo)
	}

	/**
	 * Back-pressure: how long (ms) to delay the answer to a body of telemetry, so that no more is accepted than the store keeps up
	 * with, because queries read only a limited amount from the log. 0 while the store keeps up, and while it takes nothing at all;
	 * buffering is then the log's purpose.
	 */
	holdBackMs(): number {
		const batches = Math.max(this.rows / this.#limits.rows, this.#bytes / this.#limits.bytes)
		const ahead = batches - batchesThatMayWait
		if (ahead <= 0 || performance.now() - this.#takenMs > takenWithinMs) return 0
		return Math.min(ahead * holdBackMsOfBatch, maxHoldBackMs)
	}

	/** Adds rows, and the bytes of the log up to their end; returns true if the next batch may become due earlier. */
	add(rows: number, bytes: number): boolean {
		this.rows += rows
		this.#bytes += bytes
		this.#addedMs = performance.now()
		// Of a segment whose rows were all taken before a restart, nothing is pending.
		if (this.rows === 0) return false
		const isFirst = this.#sinceMs === null
		this.#sinceMs ??= performance.now()
		return isFirst || this.isDue()
	}

	/** A reader waits: makes pending rows due shortly after the previous batch. Returns false if there are none. */
	storeSoon(): boolean {
		this.#isHurried = this.rows > 0
		return this.#isHurried
	}

	/** Notes that somebody reads figures. Returns true if a batch is due now that would have waited otherwise. */
	watched(): boolean {
		const wasDue = this.isDue()
		this.#lookedMs = performance.now()
		return !wasDue && this.isDue()
	}

	isDue(): boolean {
		if (this.rows === 0) return false
		const { rows, bytes } = this.#limits
		return this.waitMs() <= 0 || this.rows >= rows * this.#share || this.#bytes >= bytes * this.#share
	}

	/** The store had too little memory for a batch, so the next ones are half as large. */
	takeLess(): void {
		this.#share = Math.max(this.#share / 2, minShare)
	}

	/** The store took a batch, so the next ones may be larger again. */
	takeMore(): void {
		this.#share = Math.min(this.#share * shareGrowth, 1)
	}

	/** Time in ms until a batch is due because of its age; infinite if no rows are pending. */
	waitMs(): number {
		if (this.#sinceMs === null) return Number.POSITIVE_INFINITY
		if (this.#isHurried) return this.#takenMs + hurriedEveryMs - performance.now()
		return Math.max(this.#sinceMs + this.#limits.delayMs - performance.now(), this.#paceMs())
	}

	#paceMs(): number {
		if (this.rows <= rowsOfStream) return this.#pace.waitMs()
		const nowMs = performance.now()
		const { streamDelayMs } = this.#limits
		const isWatched = nowMs - this.#lookedMs < watchedForMs
		const isFlood = this.rows >= (isWatched ? rowsOfFlood : rowsOfUnwatchedFlood)
		const soonMs = this.#takenMs + (isFlood ? Math.min(streamDelayMs, floodDelayMs) : streamDelayMs)
		return (isWatched || isFlood ? soonMs : this.#unwatchedMs(soonMs)) - nowMs
	}

	/** When a batch is due while nobody reads figures: once the stream has ended, or has continued for long. */
	#unwatchedMs(soonMs: number): number {
		const latestMs = this.#takenMs + (this.#limits.unwatchedDelayMs ?? this.#limits.streamDelayMs)
		return Math.min(Math.max(soonMs, this.#addedMs + streamIsOverMs), latestMs)
	}

	/** When the oldest pending row was flushed, in ms since 1970. */
	oldestAtMs(): number | null {
		for (const { marks } of this.#segments.values()) {
			const oldest = marks.find((mark) => mark.rows > 0)
			if (oldest) return oldest.atMs
		}
		return null
	}

	/** Takes the next batch. Synchronous, because the last mark of a segment grows while anything is awaited. */
	take(): TakenBatch | null {
		const segment = [...this.#segments.values()].find(({ marks }) => marks.some((mark) => mark.rows > 0))
		if (!segment) return null
		const marks = this.#takeMarks(segment)
		this.#pace.begin()
		this.#isHurried = false
		this.#takenMs = performance.now()
		const range = { from: segment.takenTo, to: marks.at(-1)?.to ?? segment.takenTo, rows: sumRows(marks) }
		this.#move(segment, range, -1)
		const putBack = () => {
			segment.marks.unshift(...marks)
			this.#move(segment, range, 1)
		}
		return { segment, range, sinceMs: marks.find((mark) => mark.rows > 0)?.atMs ?? null, putBack }
	}

	/** The ranges of the log that contain the pending rows. */
	ranges(): { segment: LogSegment; from: number; to: number }[] {
		return [...this.#segments.values()].flatMap((segment) =>
			segment.marks.some((mark) => mark.rows > 0)
				? [{ segment, from: segment.takenTo, to: segment.marks.at(-1)?.to ?? segment.takenTo }]
				: [],
		)
	}

	#move(segment: LogSegment, range: Range, sign: 1 | -1): void {
		segment.takenTo = sign === 1 ? range.from : range.to
		this.rows += sign * range.rows
		this.#bytes += sign * (range.to - range.from)
		this.#sinceMs = this.rows > 0 ? performance.now() : null
	}

	#takeMarks(segment: LogSegment): BatchBoundary[] {
		let count = 0
		let rows = 0
		const maxRows = this.#limits.rows * this.#share
		const maxBytes = this.#limits.bytes * this.#share
		for (const mark of segment.marks) {
			const over = rows + mark.rows > maxRows || mark.to - segment.takenTo > maxBytes
			if (over && rows > 0) break
			rows += mark.rows
			count++
		}
		return segment.marks.splice(0, count)
	}
}

function sumRows(marks: readonly BatchBoundary[]): number {
	return marks.reduce((sum, mark) => sum + mark.rows, 0)
}
