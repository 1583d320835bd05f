import type { LogEntry } from './log-entry.ts'
import type { LogSegment } from './log-segment.ts'

/** Records that were handed to the log's thread and are not known to be on disk yet. */
export interface InFlight {
	seq: number
	segment: LogSegment
	/** The segment before, if this submission ends it. */
	ends: LogSegment | null
	end: number
	rows: number
	entries: LogEntry[]
}
