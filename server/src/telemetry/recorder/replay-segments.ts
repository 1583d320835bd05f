import { readFileSync, statSync } from 'node:fs'
import { callsOfMade } from './call-facts.ts'
import { addMark, type BatchBoundary } from './log-entry.ts'
import { segmentPath } from './log-files.ts'
import type { Range } from './manifest.ts'
import { rowsIn, sumRows } from './read-batch.ts'
import { decodeKeys, maxKeys, type RecordedKey } from './recorded-keys.ts'
import type { EndedCall, RecordPlace } from './row-making.ts'
import {
	decodeHeader,
	headerBytes,
	isFacts,
	type LogRecord,
	recordKinds,
	type SegmentHeader,
	scanRecords,
} from './segment-format.ts'

export interface ReplayRequest {
	number: number
	/** Its final end; null for the segment that was being written when the process died. */
	sealedEnd: number | null
	/** Ranges of batches that were begun and not settled. */
	open: readonly Omit<Range, 'rows'>[]
	takenTo: number
}

export interface ReplayedSegment {
	number: number
	/** Null when the segment is unreadable as a whole. */
	header: SegmentHeader | null
	end: number
	/** Readable rows, in total and in each open batch. */
	rows: number
	openRows: number[]
	/** Marks of rows that are not yet in a batch. */
	marks: BatchBoundary[]
	damagedRecords: number
}

export interface Replay {
	segments: ReplayedSegment[]
	/** The announcements without an outcome. */
	openIntents: LogRecord[]
	/** Announcements without an outcome, with their positions, by call id; only calls whose rows are still to be built. */
	announced: [id: string, place: RecordPlace][]
	/** Calls that have ended but have no rows yet. */
	ended: EndedCall[]
	/** Keys of rows, oldest first. */
	keys: RecordedKey[]
}

interface Memory {
	openIntents: Map<string, LogRecord>
	announced: Map<string, RecordPlace>
	ended: Map<string, EndedCall>
	keys: Map<string, RecordedKey>
}

/** Reads all segments, oldest first. */
export function replaySegments(directory: string, requests: readonly ReplayRequest[]): Replay {
	const memory: Memory = {
		openIntents: new Map(),
		announced: new Map(),
		ended: new Map(),
		keys: new Map(),
	}
	const segments = requests.map((request) => replaySegment(directory, request, memory))
	return {
		segments,
		openIntents: [...memory.openIntents.values()],
		announced: [...memory.announced],
		ended: [...memory.ended.values()],
		keys: [...memory.keys.values()].sort((a, b) => a.atMs - b.atMs),
	}
}

function replaySegment(directory: string, request: ReplayRequest, memory: Memory): ReplayedSegment {
	const { number, sealedEnd } = request
	const path = segmentPath(directory, number)
	const source = readFileSync(path)
	const atMs = Math.floor(statSync(path).mtimeMs)
	const header = decodeHeader(source) ?? null
	const result: ReplayedSegment = {
		number,
		header,
		end: headerBytes,
		rows: 0,
		openRows: request.open.map(() => 0),
		marks: [],
		damagedRecords: 0,
	}
	if (!header)
		return {
			...result,
			end: sealedEnd ?? source.length,
			damagedRecords: source.length >= headerBytes ? 1 : 0,
		}
	const limit = Math.min(sealedEnd ?? source.length, source.length)
	const marked = { marks: result.marks, takenTo: request.takenTo }
	const scan = scanRecords(source, headerBytes, limit, header.marker, (record, start, end) => {
		const rows = rowsOf(record)
		trackIntent(memory.openIntents, record)
		trackFacts(memory, record, { segment: number, at: start, bytes: end - start }, atMs)
		trackKeys(memory.keys, record, { segment: number, atMs })
		result.rows += rows
		if (start >= request.takenTo) addMark(marked, { to: end, rows, atMs })
		else if (rows > 0) addToOpen(result.openRows, request.open, start, record)
	})
	const missing = sealedEnd !== null && (scan.torn || source.length < sealedEnd) ? 1 : 0
	result.damagedRecords = scan.damagedRecords + missing
	result.end = sealedEnd ?? scan.end
	return result
}

function rowsOf(record: LogRecord): number {
	return record.kind === recordKinds.intent ? 0 : record.count
}

/** The time of a key is that of its segment's last write, or the time stored with it when it was copied forward. */
function trackKeys(
	keys: Map<string, RecordedKey>,
	record: LogRecord,
	{ segment, atMs }: Omit<RecordedKey, 'key'>,
): void {
	if (record.kind === recordKinds.keyedRows) keys.set(record.key, { key: record.key, segment, atMs })
	if (record.kind === recordKinds.keys)
		for (const carried of decodeKeys(record.bytes)) keys.set(carried.key, { ...carried, segment })
	for (const key of keys.keys()) {
		if (keys.size <= maxKeys) return
		keys.delete(key)
	}
}

function addToOpen(openRows: number[], open: ReplayRequest['open'], start: number, record: LogRecord): void {
	const index = open.findIndex((range) => start >= range.from && start < range.to)
	if (index < 0) return
	const stored = open[index]?.storedFormats ?? []
	const left = rowsIn(record).filter(({ rowFormat }) => !stored.includes(rowFormat))
	openRows[index] = (openRows[index] ?? 0) + sumRows(left)
}

function trackIntent(openIntents: Map<string, LogRecord>, record: LogRecord): void {
	if (record.kind === recordKinds.outcome) openIntents.delete(record.key)
	// A copy, because a view would keep the whole segment in memory.
	if (record.kind === recordKinds.intent)
		openIntents.set(record.key, {
			...record,
			// For rows that are built from the announcement, its position is enough.
			bytes: isFacts(record.rowFormat) ? Buffer.alloc(0) : Buffer.from(record.bytes),
		})
}

/** Of an announcement that is damaged, or in a segment that is missing: its call counts as unreadable. */
const nowhere: RecordPlace = { segment: 0, at: 0, bytes: 0 }

/**
 * Tracks which calls have ended without rows, and the positions of their facts. The last position counts, since announcements are
 * copied forward.
 */
function trackFacts({ announced, ended }: Memory, record: LogRecord, place: RecordPlace, atMs: number): void {
	const { kind, key, rowFormat, workspaceId } = record
	if (kind === recordKinds.made) for (const id of callsOfMade(record)) ended.delete(id)
	if (!isFacts(rowFormat)) return
	if (kind === recordKinds.intent) announced.set(key, place)
	if (kind !== recordKinds.outcome) return
	ended.set(key, {
		id: key,
		rowFormat,
		workspaceId,
		announced: announced.get(key) ?? nowhere,
		ended: place,
		atMs,
	})
	announced.delete(key)
}
