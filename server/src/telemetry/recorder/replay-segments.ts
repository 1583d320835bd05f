import { readFileSync, statSync } from 'node:fs'
import { segmentPath } from './log-files.ts'
import { addMark, type Mark } from './log-segment.ts'
import type { Range } from './manifest-state.ts'
import { decodeKeys, mostKeys, type RecordedKey } from './recorded-keys.ts'
import {
	decodeHeader,
	headerBytes,
	type LogRecord,
	recordKinds,
	type SegmentHeader,
	scanRecords,
} from './segment-format.ts'

export interface ReplayRequest {
	number: number
	/** Where it ends; null for the one that was being written when the process died. */
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
	/** Rows that could be read, in all and in each open batch. */
	rows: number
	openRows: number[]
	/** What is in no batch yet. */
	marks: Mark[]
	damagedRecords: number
}

export interface Replay {
	segments: ReplayedSegment[]
	/** The announcements without an outcome. */
	openIntents: LogRecord[]
	/** Keys of rows, oldest first. */
	keys: RecordedKey[]
}

interface Memory {
	openIntents: Map<string, LogRecord>
	keys: Map<string, RecordedKey>
}

/** Reads all segments, oldest first. */
export function replaySegments(directory: string, requests: readonly ReplayRequest[]): Replay {
	const memory: Memory = { openIntents: new Map(), keys: new Map() }
	const segments = requests.map((request) => replaySegment(directory, request, memory))
	return {
		segments,
		openIntents: [...memory.openIntents.values()],
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

export function rowsOf(record: LogRecord): number {
	return record.kind === recordKinds.intent ? 0 : record.count
}

/** The time of a key is that of its segment's last write, or the one that it was carried with. */
function trackKeys(
	keys: Map<string, RecordedKey>,
	record: LogRecord,
	{ segment, atMs }: Omit<RecordedKey, 'key'>,
): void {
	if (record.kind === recordKinds.keyedRows) keys.set(record.key, { key: record.key, segment, atMs })
	if (record.kind === recordKinds.keys)
		for (const carried of decodeKeys(record.bytes)) keys.set(carried.key, { ...carried, segment })
	for (const key of keys.keys()) {
		if (keys.size <= mostKeys) return
		keys.delete(key)
	}
}

function addToOpen(openRows: number[], open: ReplayRequest['open'], start: number, record: LogRecord): void {
	const index = open.findIndex((range) => start >= range.from && start < range.to)
	if (index < 0 || open[index]?.storedFormats?.includes(record.rowFormat)) return
	openRows[index] = (openRows[index] ?? 0) + rowsOf(record)
}

function trackIntent(openIntents: Map<string, LogRecord>, record: LogRecord): void {
	if (record.kind === recordKinds.outcome) openIntents.delete(record.key)
	// A copy: a view would keep the whole segment in memory.
	if (record.kind === recordKinds.intent)
		openIntents.set(record.key, { ...record, bytes: Buffer.from(record.bytes) })
}
