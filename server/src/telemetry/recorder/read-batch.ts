import { closeSync, openSync, readSync } from 'node:fs'
import { segmentPath } from './log-files.ts'
import { rowsOf } from './replay-segments.ts'
import { type LogRecord, scanRecords } from './segment-format.ts'

/** The rows of a range that have one layout, ready to insert. */
export interface BatchPart {
	rowFormat: number
	rows: number
	bytes: Uint8Array
}

export interface BatchRequest {
	number: number
	marker: Uint8Array
	from: number
	to: number
}

/** Where to halve a range: the start of its middle record with rows. */
export interface BatchMiddle {
	at: number
	rowsBefore: number
	rowsAfter: number
}

/** Reads the rows of a range: a function of the range alone, so that every attempt sends the same bytes. */
export function readBatch(directory: string, request: BatchRequest): BatchPart[] {
	const byFormat = new Map<number, LogRecord[]>()
	visitRange(directory, request, (record) => {
		if (rowsOf(record) === 0) return
		const records = byFormat.get(record.rowFormat)
		if (records) records.push(record)
		else byFormat.set(record.rowFormat, [record])
	})
	return [...byFormat].map(([rowFormat, records]) => ({
		rowFormat,
		rows: sumRows(records),
		bytes: joinRows(records),
	}))
}

/** The middle of a range, or null when it holds at most one record with rows. */
export function findMiddle(directory: string, request: BatchRequest): BatchMiddle | null {
	const found: { start: number; rows: number }[] = []
	visitRange(directory, request, (record, start) => {
		if (rowsOf(record) > 0) found.push({ start, rows: rowsOf(record) })
	})
	const middle = found[Math.floor(found.length / 2)]
	if (!middle || found.length < 2) return null
	const count = (half: typeof found) => half.reduce((sum, { rows }) => sum + rows, 0)
	return {
		at: middle.start,
		rowsBefore: count(found.filter(({ start }) => start < middle.start)),
		rowsAfter: count(found.filter(({ start }) => start >= middle.start)),
	}
}

/** The bytes of a range as they lie in the log. */
export function readRange(directory: string, request: BatchRequest): Buffer {
	const fd = openSync(segmentPath(directory, request.number), 'r')
	try {
		const target = Buffer.allocUnsafeSlow(request.to - request.from)
		let length = 0
		for (let read = -1; read !== 0 && length < target.length; length += read) {
			read = readSync(fd, target, length, target.length - length, request.from + length)
		}
		return target.subarray(0, length)
	} finally {
		closeSync(fd)
	}
}

function visitRange(
	directory: string,
	request: BatchRequest,
	visit: (record: LogRecord, start: number) => void,
): void {
	const source = readRange(directory, request)
	scanRecords(source, 0, source.length, Buffer.from(request.marker), (record, start) =>
		visit(record, request.from + start),
	)
}

function sumRows(records: readonly LogRecord[]): number {
	return records.reduce((sum, record) => sum + record.count, 0)
}

/** In memory of its own, so that it can be handed to another thread without a copy. */
function joinRows(records: readonly LogRecord[]): Uint8Array {
	const joined = Buffer.allocUnsafeSlow(records.reduce((sum, record) => sum + record.bytes.length, 0))
	let at = 0
	for (const { bytes } of records) {
		joined.set(bytes, at)
		at += bytes.length
	}
	return joined
}
