import type { LogSegment } from './log-segment.ts'
import { type LogRecord, recordBytes, recordKinds, writeRecord } from './segment-format.ts'

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
}
