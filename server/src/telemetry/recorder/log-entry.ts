import { FactsSeal } from './call-facts.ts'
import {
	headerBytes,
	type LogRecord,
	recordBytes,
	recordKinds,
	type SegmentHeader,
	writeRecord,
} from './segment-format.ts'

/** A place in a segment where a batch may end, and the rows since the mark before. */
export interface Mark {
	to: number
	rows: number
	/** When its first row was flushed, ms since 1970. */
	atMs: number
}

/** What the main thread knows of one segment file. */
export interface LogSegment {
	header: SegmentHeader
	/** Of a segment that is written, where the log has keys. */
	seal: FactsSeal | null
	/** Place after the last submitted record. */
	end: number
	/** Place after the last record that is surely on disk. */
	flushedEnd: number
	/** Acknowledged rows. */
	rows: number
	/** Flushed and not yet in a batch. */
	marks: Mark[]
	/** Start of what is in no batch yet. */
	takenTo: number
	/** Nothing is written to it any more; `end` is final. */
	sealed: boolean
	damagedRecords: number
}

/** `key`: for what calls carry; null where nothing of that kind is recorded. */
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

/** Notes a flushed run; small ones share a mark, so a long log needs little memory. */
export function addMark(segment: Pick<LogSegment, 'marks' | 'takenTo'>, mark: Mark): void {
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
	/** Size in the log. */
	readonly bytes: number
	/** Whether its caller waits for the flush; others are flushed along with the next one that does. */
	readonly mustFlush: boolean
	/** After a failed write: write it again into the next segment (its caller was promised it, or it really happened). */
	keep: boolean
	/** Where it lies in its segment, once it is on its way. */
	at?: number
	onWritten?(): void
	onFlushed?(segment: LogSegment): void
	/** The log could not take it (with `keep`: not yet). */
	onFailed?(reason: string): void
}

export function newLogEntry(record: LogRecord, rest: Omit<LogEntry, 'record' | 'bytes'>): LogEntry {
	return { record, bytes: recordBytes(record), ...rest }
}

/** A record without rows: something to wait for. */
export const emptyRecord: LogRecord = {
	kind: recordKinds.rows,
	rowFormat: 0,
	key: '',
	workspaceId: '',
	count: 0,
	bytes: Buffer.alloc(0),
}

/** Rows that come into being with these entries. */
export function countRows(entries: readonly LogEntry[]): number {
	let rows = 0
	for (const { record } of entries) if (record.kind !== recordKinds.intent) rows += record.count
	return rows
}

export function sumBytes(entries: readonly LogEntry[]): number {
	let bytes = 0
	for (const entry of entries) bytes += entry.bytes
	return bytes
}

/** Writes the records one behind the other, without their checksums, to go to the end of a segment. */
export function packRun(run: Buffer, entries: readonly LogEntry[], segment: LogSegment): void {
	const { header, seal, end } = segment
	let at = 0
	for (const entry of entries) {
		entry.at = end + at
		at = writeRecord(run, at, entry.record, header.marker, seal)
	}
	seal?.finish(run)
}
