import { countRows, type LogEntry } from './log-entry.ts'
import type { LogSegment } from './log-segment.ts'

/** Records that were written, or handed to the log's thread, and are not known to be on disk yet. */
export class InFlight {
	readonly seq: number
	readonly segment: LogSegment
	/** The segment before, if this run ends it. */
	readonly ends: LogSegment | null
	readonly end: number
	readonly rows: number
	readonly entries: LogEntry[]
	#written = false

	constructor(seq: number, segment: LogSegment, ends: LogSegment | null, entries: LogEntry[]) {
		this.seq = seq
		this.segment = segment
		this.ends = ends
		this.end = segment.end
		this.rows = countRows(entries)
		this.entries = entries
	}

	tellWritten(): void {
		if (this.#written) return
		this.#written = true
		for (const entry of this.entries) entry.onWritten?.()
	}
}
