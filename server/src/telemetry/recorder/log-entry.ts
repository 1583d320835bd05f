import { FactsSeal } from './call-facts.ts'
import {
	headerBytes,
	type LogRecord,
	recordBytes,
	recordKinds,
	type SegmentHeader,
	writeRecord,
} from './segment-format.ts'

/** A position in a segment where a batch may end, with the rows since the previous mark. */
export interface BatchBoundary {
	to: number
	rows: number
	/** When its first row was flushed, in ms since 1970. */
	atMs: number
}

/** What the main thread knows of one segment file. */
export interface LogSegment {
	header: SegmentHeader
	/** Encrypts the facts of calls in the segment being written; null if the log has no keys. */
	seal: FactsSeal | null
	/** Position after the last submitted record. */
	end: number
	/** Position after the last record that is known to be on disk. */
	flushedEnd: number
	/** Acknowledged rows. */
	rows: number
	/** Marks of flushed rows that are not yet in a batch. */
	marks: BatchBoundary[]
	/** Start of what is not yet in a batch. */
	takenTo: number
	/** The segment is no longer written to; `end` is final. */
	sealed: boolean
	damagedRecords: number
}

/** `key` encrypts the facts of calls; null where none are recorded. */
export function newLogSegment(header: SegmentHeader, key: Buffer | null): LogSegment {
	return {
		header,
		seal: key && new FactsSeal(key),
		end: headerBytes,
		flushedEnd: headerBytes,
		rows: 0,
		marks: [],
		takenTo: headerBytes,
		sealed: false,
		damagedRecords: 0,
	}
}

const markRows = 4096
const markBytes = 1024 * 1024

/** Notes a flushed run. Small runs share a mark, so a long log needs little memory. */
export function addMark(segment: Pick<LogSegment, 'marks' | 'takenTo'>, mark: BatchBoundary): void {
	const last = segment.marks.at(-1)
	const lastStart = segment.marks.at(-2)?.to ?? segment.takenTo
	if (!last || last.rows + mark.rows > markRows || mark.to - lastStart > markBytes) {
		segment.marks.push(mark)
		return
	}
	if (last.rows === 0) last.atMs = mark.atMs
	last.to = mark.to
	last.rows += mark.rows
}

/** One record on its way into the log. */
export interface LogEntry {
	readonly record: LogRecord
	/** Size in the log, in bytes. */
	readonly bytes: number
	/** Whether its caller waits for the flush. Other entries are flushed together with the next one that must be. */
	readonly mustFlush: boolean
	/** After a failed write: write it again into the next segment, because it was acknowledged or really happened. */
	keep: boolean
	/** Position in its segment, once it is submitted. */
	at?: number
	onWritten?(): void
	onFlushed?(segment: LogSegment): void
	/** The log could not write it (with `keep`: not yet). */
	onFailed?(reason: string): void
}

export function newLogEntry(record: LogRecord, rest: Omit<LogEntry, 'record' | 'bytes'>): LogEntry {
	return { record, bytes: recordBytes(record), ...rest }
}

/** A record without rows, used to wait for a write or flush. */
export const emptyRecord: LogRecord = {
	kind: recordKinds.rows,
	rowFormat: 0,
	key: '',
	workspaceId: '',
	count: 0,
	bytes: Buffer.alloc(0),
}

export function sumBytes(entries: readonly LogEntry[]): number {
	let bytes = 0
	for (const entry of entries) bytes += entry.bytes
	return bytes
}

/** Writes the records one after the other, without their checksums, as the run at the end of a segment. */
export function packRun(run: Buffer, entries: readonly LogEntry[], segment: LogSegment): void {
	const { header, seal } = segment
	const start = segment.end - run.length
	let at = 0
	for (const entry of entries) {
		entry.at = start + at
		at = writeRecord(run, at, entry.record, header.marker, seal)
	}
	seal?.finish(run)
}
