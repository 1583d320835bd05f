import { closeSync, readSync, writeFileSync } from 'node:fs'
import type { WorkSlices } from '../../platform/clock.ts'
import { MemorySizing, ReusableMemory } from '../../platform/free-bytes.ts'
import { type ArrivedSpans, arrivedSpansIn } from '../blocks/arrived-spans.ts'
import { maxBlockHeadBytes, readBlockHead, readBlocks, Unreadable } from '../blocks/block.ts'
import type { ColumnLayout } from '../blocks/column-writer.ts'
import { type StampColumn, toNative } from '../blocks/native.ts'
import { otherRowFormats } from '../row-formats.ts'
import { spanBlockFormat } from '../span-columns.ts'
import { decodeMadeRows, type RowsOfFormat } from './call-facts.ts'
import { openToRead } from './log-files.ts'
import {
	isFacts,
	type LogRecord,
	maxHeadBytes,
	peekRecord,
	recordKinds,
	scanRecords,
} from './segment-format.ts'

/** The rows of a range that have one layout, ready to insert. */
export interface BatchPart {
	rowFormat: number
	rows: number
	/** RowBinary, or Native where the log has blocks. In memory that the next batch overwrites. */
	bytes: Uint8Array<SharedArrayBuffer>
	/** What the spans bring for joins, if it was requested and is known. */
	arrived?: readonly ArrivedSpans[] | undefined
}

export interface BatchRequest {
	number: number
	marker: Uint8Array
	from: number
	to: number
	/** Row formats to leave out, because their rows of this range are already stored. */
	storedFormats: readonly number[]
	/** If given, blocks end with a column that holds the time at which they are stored. */
	stamp?: StampColumn
	/** Whether to return what the spans bring for joins. */
	tellsArrived?: boolean
}

/** Which rows to write into files that the engine reads for one query. */
export interface NewestRequest {
	ranges: readonly BatchRequest[]
	/** Row formats of one table. */
	formats: readonly number[]
	workspaceId: string
	/** 32 hex digits each. If given, records without a span of these traces may be left out. */
	traces?: readonly string[]
	/** Prefix of the files' paths; the format number is appended. */
	path: string
}

export interface NewestPart {
	rowFormat: number
	path: string
}

/** Where to split a range: the start of its middle record with rows. */
export interface BatchMiddle {
	at: number
	rowsBefore: number
	rowsAfter: number
}

/**
 * Memory for one batch after another that both threads share. If V8 counted it as the main thread's own, every batch of a flood
 * would trigger a full garbage collection.
 */
export class BatchMemory {
	/** For the log bytes that a batch is built from. */
	readonly source = new ReusableMemory()
	readonly #size = new MemorySizing()
	#memory = new SharedArrayBuffer(0)
	#used = 0

	/** Begins a batch of about this many bytes. The memory that a flood needed is not kept for much smaller batches. */
	begin(bytes: number): void {
		const wanted = this.#size.next(bytes)
		if (wanted !== this.#memory.byteLength) this.#memory = new SharedArrayBuffer(wanted)
		this.#used = 0
	}

	take(bytes: number): Uint8Array<SharedArrayBuffer> {
		// Blocks may be larger than in the log.
		if (this.#used + bytes > this.#memory.byteLength) {
			this.#memory = new SharedArrayBuffer(this.#size.next(this.#used + bytes))
			this.#used = 0
		}
		const taken = new Uint8Array(this.#memory, this.#used, bytes)
		this.#used += bytes
		return taken
	}
}

/** Called between two slices of work that take some microseconds each. */
type Pause = Pick<WorkSlices, 'pause'> | null

/** Reads the rows of a range. The result depends on the range alone, so that every attempt sends the same bytes. */
export function readBatch(
	directory: string,
	request: BatchRequest,
	memory: BatchMemory,
	slices: Pause = null,
): BatchPart[] {
	const length = request.to - request.from
	memory.begin(length)
	const place = memory.source.acquire(length)
	try {
		return joinParts(readRange(directory, request, place), request, memory, slices)
	} finally {
		memory.source.release(place)
	}
}

function joinParts(source: Buffer, request: BatchRequest, memory: BatchMemory, slices: Pause): BatchPart[] {
	const byFormat = new Map<number, RowsOfFormat[]>()
	const add = (rows: readonly RowsOfFormat[]) => {
		for (const part of rows) {
			const parts = byFormat.get(part.rowFormat)
			if (parts) parts.push(part)
			else byFormat.set(part.rowFormat, [part])
		}
	}
	visitRows(source, request, add, slices)
	return [...byFormat].map(([rowFormat, records]) => {
		const blocks = blocksOf(rowFormat, records, slices)
		const take = (size: number) => memory.take(size)
		return {
			...{ rowFormat, rows: sumRows(records) },
			bytes: blocks
				? toNative(blocks.read, blocks.layouts, take, request.stamp, slices)
				: joinBytes(records, take),
			arrived:
				request.tellsArrived && blocks && rowFormat === spanBlockFormat
					? arrivedSpansIn(blocks.read, slices)
					: undefined,
		}
	})
}

/** Writes the rows of a workspace in some ranges into files, one for each row format found. */
export function writeNewest(directory: string, request: NewestRequest, memory: ReusableMemory): NewestPart[] {
	const { ranges, traces, path } = request
	const ids = traces?.map((id) => Buffer.from(id, 'hex'))
	const ofTraces = ids && newestOfTraces(directory, request, ids)
	if (ofTraces) return writeParts(ofTraces, path)
	const place = memory.acquire(ranges.reduce((sum, { from, to }) => sum + to - from, 0))
	try {
		return writeParts(newestRows(directory, request, place, ids), path)
	} finally {
		memory.release(place)
	}
}

/** By row format number. */
type RowsByFormat = Map<number, RowsOfFormat[]>

/** `place` receives everything that is read. */
function newestRows(
	directory: string,
	request: NewestRequest,
	place: Buffer<ArrayBuffer>,
	ids?: readonly Buffer[],
): RowsByFormat {
	const found = noRowsYet(request)
	let at = 0
	for (const range of request.ranges) {
		const target = place.subarray(at, at + range.to - range.from)
		at += target.length
		addRows(found, readRange(directory, range, target), range, request, ids)
	}
	return found
}

const noRowsYet = ({ formats }: NewestRequest): RowsByFormat =>
	new Map(formats.map((rowFormat) => [rowFormat, []]))

/** `ids`: the traces to which rows are limited, if any. */
function addRows(
	found: RowsByFormat,
	source: Buffer,
	range: BatchRequest,
	{ workspaceId }: NewestRequest,
	ids?: readonly Buffer[],
): void {
	visitRows(source, range, (rows, _start, _end, record) => {
		if (record.workspaceId !== workspaceId) return
		for (const part of rows) if (!ids || hasTrace(part, ids)) found.get(part.rowFormat)?.push(part)
	})
}

/**
 * The same for records that may contain spans of some traces. Of other blocks only the ids are read, a twentieth of their bytes.
 * Null if a record is not followed by another one: then everything must be read, which detects the damage.
 */
function newestOfTraces(
	directory: string,
	request: NewestRequest,
	ids: readonly Buffer[],
): RowsByFormat | null {
	const { ranges, workspaceId, formats } = request
	const found = noRowsYet(request)
	const isWanted = (record: LogRecord) =>
		record.workspaceId === workspaceId &&
		(record.kind === recordKinds.made || (isOfRows(record) && formats.includes(record.rowFormat)))
	for (const range of ranges) {
		const fd = openToRead(directory, range.number)
		if (fd === null) return null
		try {
			for (let start = range.from, end = start; start < range.to; start = end) {
				const head = readAt(fd, start, Math.min(maxHeadBytes, range.to - start))
				const peeked = peekRecord(head, Buffer.from(range.marker))
				if (!peeked || start + peeked.length > range.to) return null
				end = start + peeked.length
				const bytesAt = start + peeked.bytesAt
				const read = (at: number, bytes: number) => readAt(fd, bytesAt + at, bytes)
				if (isWanted(peeked.record) && mayHoldTrace(peeked.record.rowFormat, end - bytesAt, read, ids))
					addRows(found, readAt(fd, start, end - start), range, request, ids)
			}
		} finally {
			closeSync(fd)
		}
	}
	return found
}

function writeParts(byFormat: ReadonlyMap<number, readonly RowsOfFormat[]>, path: string): NewestPart[] {
	return [...byFormat].flatMap(([rowFormat, records]) => {
		if (records.length === 0) return []
		const part = { rowFormat, path: `${path}-${rowFormat}` }
		writeFileSync(part.path, joinRows(rowFormat, records), { mode: 0o600 })
		return [part]
	})
}

const bytesOfTraceId = 16

function hasTrace({ rowFormat, bytes }: RowsOfFormat, ids: readonly Buffer[]): boolean {
	const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
	return mayHoldTrace(rowFormat, all.length, (at, length) => all.subarray(at, at + length), ids)
}

/**
 * Whether rows of this size may belong to one of these traces. Only blocks are searched, where ids are adjacent; single rows are
 * not. `read` returns a range of the bytes.
 */
function mayHoldTrace(
	rowFormat: number,
	bytes: number,
	read: (at: number, bytes: number) => Buffer,
	ids: readonly Buffer[],
): boolean {
	const layouts = otherRowFormats.get(rowFormat)?.layouts
	const traceColumn = layouts?.findIndex(({ name }) => name === 'trace_id') ?? -1
	if (!layouts || traceColumn < 0) return true
	try {
		for (let at = 0; at < bytes; ) {
			const block = readBlockHead(read(at, Math.min(maxBlockHeadBytes, bytes - at)), 0, layouts)
			at += block.at
			for (const { number, lengths } of block.heads) {
				const length = lengths.reduce((sum, one) => sum + one, 0)
				if (at + length > bytes) return true
				const held = number === traceColumn ? read(at, length) : null
				if (held && ids.some((id) => hasId(held, id))) return true
				at += length
			}
		}
		return false
	} catch (error) {
		// It is damaged, which a complete read detects.
		if (error instanceof Unreadable || error instanceof RangeError) return true
		throw error
	}
}

function hasId(held: Buffer, id: Buffer): boolean {
	let at = held.indexOf(id)
	while (at >= 0 && at % bytesOfTraceId !== 0) at = held.indexOf(id, at + 1)
	return at >= 0
}

/** The middle of a range, or null when it contains at most one record with rows. */
export function findMiddle(directory: string, request: BatchRequest): BatchMiddle | null {
	const found: { start: number; rows: number }[] = []
	visitRows(readRange(directory, request), request, (rows, start) =>
		found.push({ start: request.from + start, rows: sumRows(rows) }),
	)
	const middle = found[Math.floor(found.length / 2)]
	if (!middle || found.length < 2) return null
	const count = (half: typeof found) => half.reduce((sum, { rows }) => sum + rows, 0)
	return {
		at: middle.start,
		rowsBefore: count(found.filter(({ start }) => start < middle.start)),
		rowsAfter: count(found.filter(({ start }) => start >= middle.start)),
	}
}

/**
 * The records of a range as they are in the log, including damage. Left out are records whose formats are already stored, and facts
 * of calls, whose rows are built elsewhere.
 */
export function readRecords(directory: string, request: BatchRequest): Buffer {
	const source = readRange(directory, request)
	const { marker, storedFormats } = request
	let hasFacts = false
	scanRecords(source, 0, source.length, Buffer.from(marker), ({ rowFormat }) => {
		hasFacts ||= isFacts(rowFormat)
	})
	if (storedFormats.length === 0 && !hasFacts) return source
	const records: Buffer[] = []
	visitRows(source, request, (_rows, start, end) => records.push(source.subarray(start, end)))
	return Buffer.concat(records)
}

function readRange(
	directory: string,
	request: BatchRequest,
	target = Buffer.allocUnsafeSlow(request.to - request.from),
): Buffer<ArrayBuffer> {
	const fd = openToRead(directory, request.number)
	if (fd === null) return target.subarray(0, 0)
	try {
		return fillFrom(fd, request.from, target)
	} finally {
		closeSync(fd)
	}
}

const readAt = (fd: number, at: number, bytes: number) => fillFrom(fd, at, Buffer.allocUnsafe(bytes))

/** Reads from the file at `at` into `target`; returns the part that was filled. */
function fillFrom(fd: number, at: number, target: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
	let length = 0
	for (let read = -1; read !== 0 && length < target.length; length += read)
		read = readSync(fd, target, length, target.length - length, at + length)
	return target.subarray(0, length)
}

/** Visits the records of a range that hold rows which are not stored. Positions are relative to the range's start. */
function visitRows(
	source: Buffer,
	{ marker, storedFormats }: BatchRequest,
	visit: (rows: readonly RowsOfFormat[], start: number, end: number, record: LogRecord) => void,
	slices: Pause = null,
): void {
	const visitRecord = (record: LogRecord, start: number, end: number) => {
		const rows = rowsIn(record).filter(({ rowFormat }) => !storedFormats.includes(rowFormat))
		if (rows.length > 0) visit(rows, start, end, record)
	}
	// Called for each record once its checksum has been verified.
	const passes = (rowFormat: number) => {
		slices?.pause()
		return isFacts(rowFormat)
	}
	scanRecords(source, 0, source.length, Buffer.from(marker), visitRecord, passes)
}

/** The rows in a record: none in an announcement, and none in facts of calls. */
export function rowsIn(record: LogRecord): readonly RowsOfFormat[] {
	if (record.kind === recordKinds.made) return decodeMadeRows(record)
	return isOfRows(record) ? [record] : []
}

const isOfRows = ({ kind, count }: LogRecord) => kind !== recordKinds.intent && count > 0

export function sumRows(parts: readonly RowsOfFormat[]): number {
	return parts.reduce((sum, { count }) => sum + count, 0)
}

/** Block formats are the same in every log; the meaning of other format numbers is known to the recorder. */
function blocksOf(rowFormat: number, records: readonly RowsOfFormat[], slices: Pause = null) {
	const layouts = otherRowFormats.get(rowFormat)?.layouts
	const read = (bytes: Uint8Array, of: readonly ColumnLayout[]) => {
		slices?.pause()
		return readBlocks(bytes, of)
	}
	return layouts && { layouts, read: records.flatMap(({ bytes }) => read(bytes, layouts)) }
}

function joinRows(rowFormat: number, records: readonly RowsOfFormat[]): Uint8Array {
	const blocks = blocksOf(rowFormat, records)
	const take = (size: number) => Buffer.allocUnsafeSlow(size)
	return blocks ? toNative(blocks.read, blocks.layouts, take) : joinBytes(records, take)
}

function joinBytes<Bytes extends Uint8Array>(
	records: readonly RowsOfFormat[],
	take: (bytes: number) => Bytes,
): Bytes {
	const joined = take(records.reduce((sum, record) => sum + record.bytes.length, 0))
	let at = 0
	for (const { bytes } of records) {
		joined.set(bytes, at)
		at += bytes.length
	}
	return joined
}
