import { closeSync, openSync, readSync, writeFileSync } from 'node:fs'
import { KeptMemory, KeptSize } from '../../platform/free-bytes.ts'
import { type ArrivedSpans, arrivedSpansIn } from '../blocks/arrived-spans.ts'
import { readBlocks, type StampColumn, toNative } from '../blocks/block.ts'
import { otherRowFormats } from '../row-formats.ts'
import { spanBlockFormat } from '../span-columns.ts'
import { decodeMadeRows, isFacts, type RowsOfFormat } from './call-facts.ts'
import { segmentPath } from './log-files.ts'
import { type LogRecord, recordKinds, scanRecords } from './segment-format.ts'

/** The rows of a range that have one layout, ready to insert. */
export interface BatchPart {
	rowFormat: number
	rows: number
	/** RowBinary, or Native where the log has blocks. In memory that the next batch overwrites. */
	bytes: Uint8Array<SharedArrayBuffer>
	/** Of spans, where it was asked for and is known. */
	arrived?: readonly ArrivedSpans[] | undefined
}

export interface BatchRequest {
	number: number
	marker: Uint8Array
	from: number
	to: number
	/** Row formats to leave out: what they had in the range is stored already. */
	storedFormats: readonly number[]
	/** Blocks end with a column for the time at which they are stored. */
	stamp?: StampColumn
	/** Whether to say what the spans bring. */
	tellsArrived?: boolean
}

/** Which rows to write into files that the engine reads for one query. */
export interface NewestRequest {
	ranges: readonly BatchRequest[]
	/** Of one table. */
	formats: readonly number[]
	workspaceId: string
	/** 32 hex digits each. Where they are named, records without a span of them may be left out. */
	traces?: readonly string[]
	/** Of the files, which end with the number of their format. */
	path: string
}

export interface NewestPart {
	rowFormat: number
	path: string
}

/** Where to halve a range: the start of its middle record with rows. */
export interface BatchMiddle {
	at: number
	rowsBefore: number
	rowsAfter: number
}

/**
 * Memory for one batch after the other that both threads see. What V8 counts as the main thread's own makes it collect the
 * whole heap, which a flood of batches did once for each.
 */
export class BatchMemory {
	/** For the bytes of the log that a batch is made of. */
	readonly source = new KeptMemory()
	readonly #size = new KeptSize()
	#memory = new SharedArrayBuffer(0)
	#used = 0

	/** Begins a batch of about so many bytes. What a flood needed is not kept for much smaller ones. */
	begin(bytes: number): void {
		const wanted = this.#size.next(bytes)
		if (wanted !== this.#memory.byteLength) this.#memory = new SharedArrayBuffer(wanted)
		this.#used = 0
	}

	take(bytes: number): Uint8Array<SharedArrayBuffer> {
		// Blocks may be larger than they are in the log.
		if (this.#used + bytes > this.#memory.byteLength) {
			this.#memory = new SharedArrayBuffer(this.#size.next(this.#used + bytes))
			this.#used = 0
		}
		const taken = new Uint8Array(this.#memory, this.#used, bytes)
		this.#used += bytes
		return taken
	}
}

/** Reads the rows of a range: a function of the range alone, so that every attempt sends the same bytes. */
export function readBatch(directory: string, request: BatchRequest, memory: BatchMemory): BatchPart[] {
	const length = request.to - request.from
	memory.begin(length)
	const place = memory.source.lend(length)
	try {
		return joinParts(readRange(directory, request, place), request, memory)
	} finally {
		memory.source.giveBack(place)
	}
}

function joinParts(source: Buffer, request: BatchRequest, memory: BatchMemory): BatchPart[] {
	const byFormat = new Map<number, RowsOfFormat[]>()
	visitRows(source, request, (rows) => {
		for (const part of rows) {
			const parts = byFormat.get(part.rowFormat)
			if (parts) parts.push(part)
			else byFormat.set(part.rowFormat, [part])
		}
	})
	return [...byFormat].map(([rowFormat, records]) => {
		const blocks = blocksOf(rowFormat, records)
		const take = (size: number) => memory.take(size)
		return {
			...{ rowFormat, rows: sumRows(records) },
			bytes: blocks ? toNative(blocks.read, blocks.layouts, take, request.stamp) : joinBytes(records, take),
			arrived:
				request.tellsArrived && blocks && rowFormat === spanBlockFormat
					? arrivedSpansIn(blocks.read)
					: undefined,
		}
	})
}

/** Writes the rows of a workspace in some ranges into files, one for each format that there are rows of. */
export function writeNewest(directory: string, request: NewestRequest, memory: KeptMemory): NewestPart[] {
	const place = memory.lend(request.ranges.reduce((sum, { from, to }) => sum + to - from, 0))
	try {
		return writeParts(newestRows(directory, request, place), request.path)
	} finally {
		memory.giveBack(place)
	}
}

/** By the number of their format. `place`: for all that is read. */
function newestRows(
	directory: string,
	{ ranges, formats, workspaceId, traces }: NewestRequest,
	place: Buffer<ArrayBuffer>,
): Map<number, RowsOfFormat[]> {
	const ids = traces?.map((id) => Buffer.from(id, 'hex'))
	const byFormat = new Map(formats.map((rowFormat): [number, RowsOfFormat[]] => [rowFormat, []]))
	let at = 0
	for (const range of ranges) {
		const target = place.subarray(at, at + range.to - range.from)
		at += target.length
		visitRows(readRange(directory, range, target), range, (rows, _start, _end, record) => {
			if (record.workspaceId !== workspaceId) return
			for (const part of rows) if (!ids || mayHoldTrace(part, ids)) byFormat.get(part.rowFormat)?.push(part)
		})
	}
	return byFormat
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

/** Ids lie side by side in a block; what single rows hold is not looked at. */
function mayHoldTrace({ rowFormat, bytes }: RowsOfFormat, ids: readonly Buffer[]): boolean {
	const layouts = otherRowFormats.get(rowFormat)?.layouts
	const column = layouts?.findIndex(({ name }) => name === 'trace_id') ?? -1
	if (!layouts || column < 0) return true
	return readBlocks(bytes, layouts).some(({ columns }) => {
		const held = columns.find(({ number }) => number === column)?.streams[0]
		return held !== undefined && ids.some((id) => hasId(held, id))
	})
}

function hasId(held: Buffer, id: Buffer): boolean {
	let at = held.indexOf(id)
	while (at >= 0 && at % bytesOfTraceId !== 0) at = held.indexOf(id, at + 1)
	return at >= 0
}

/** The middle of a range, or null when it holds at most one record with rows. */
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
 * The records of a range as they lie in the log, damage included; without those that are stored when some are, and without what
 * calls carried, of which rows are made elsewhere.
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
	const fd = openSync(segmentPath(directory, request.number), 'r')
	try {
		let length = 0
		for (let read = -1; read !== 0 && length < target.length; length += read) {
			read = readSync(fd, target, length, target.length - length, request.from + length)
		}
		return target.subarray(0, length)
	} finally {
		closeSync(fd)
	}
}

/** Visits the records of a range that hold rows which are not stored; places count from the range's start. */
function visitRows(
	source: Buffer,
	{ marker, storedFormats }: BatchRequest,
	visit: (rows: readonly RowsOfFormat[], start: number, end: number, record: LogRecord) => void,
): void {
	const visitRecord = (record: LogRecord, start: number, end: number) => {
		const rows = rowsIn(record).filter(({ rowFormat }) => !storedFormats.includes(rowFormat))
		if (rows.length > 0) visit(rows, start, end, record)
	}
	scanRecords(source, 0, source.length, Buffer.from(marker), visitRecord, isFacts)
}

/** The rows that a record stands for: none for an announcement, and for what is not rows yet. */
export function rowsIn(record: LogRecord): readonly RowsOfFormat[] {
	if (record.kind === recordKinds.made) return decodeMadeRows(record)
	return record.kind === recordKinds.intent || record.count === 0 ? [] : [record]
}

export function sumRows(parts: readonly RowsOfFormat[]): number {
	return parts.reduce((sum, { count }) => sum + count, 0)
}

/** A format of blocks holds for every log; what the numbers of other formats mean is the recorder's to say. */
function blocksOf(rowFormat: number, records: readonly RowsOfFormat[]) {
	const layouts = otherRowFormats.get(rowFormat)?.layouts
	return layouts && { layouts, read: records.flatMap(({ bytes }) => readBlocks(bytes, layouts)) }
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
