import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type FactsSeal, sealBytes } from './call-facts.ts'

/**
 * Kinds of records: rows of an append, the announcement of a call, the call's outcome, rows of an append with a key, keys of
 * earlier segments, and rows that were built from the facts of calls.
 */
export const recordKinds = { rows: 1, intent: 2, outcome: 3, keyedRows: 4, keys: 5, made: 6 } as const
export type RecordKind = (typeof recordKinds)[keyof typeof recordKinds]

/** Row formats of records that hold the encrypted facts of a call, from which rows are built later. */
export const factsFormats = { model: 255, tool: 253 } as const
export type FactsKind = keyof typeof factsFormats

const kinds = new Map(Object.entries(factsFormats).map(([kind, format]) => [format, kind as FactsKind]))

export function isFacts(rowFormat: number | undefined): boolean {
	return rowFormat === factsFormats.model || rowFormat === factsFormats.tool
}

/** `rowFormat` must be one of `factsFormats`. */
export function kindOfFacts(rowFormat: number): FactsKind {
	return kinds.get(rowFormat as 255) as FactsKind
}

export interface LogRecord {
	kind: RecordKind
	/** The version of the row layout in `bytes`. */
	rowFormat: number
	/** 32 hex digits: the id of the call, or the key of rows that may be sent again; '' for plain rows. */
	key: string
	workspaceId: string
	count: number
	bytes: Uint8Array
}

/**
 * The header is written twice, so that one damaged sector does not cost a segment. `logId` is random per segment and part of the
 * deduplication token, because a log that starts again at segment 1 must not reuse the tokens of an earlier one. `marker` is random
 * too and part of every record, so the next record after damage is found by a plain search, and nobody can place a forged record
 * inside the data of another.
 */
export interface SegmentHeader {
	number: number
	logId: string
	marker: Buffer
}

const magic = Buffer.from('SBXWAL\r\n')
const segmentFormat = 1
const headerCopyBytes = 36
export const headerBytes = 2 * headerCopyBytes

export function newSegmentHeader(number: number): SegmentHeader {
	return { number, logId: randomBytes(8).toString('hex'), marker: randomBytes(4) }
}

export function encodeHeader(header: SegmentHeader): Buffer {
	const copy = Buffer.alloc(headerCopyBytes)
	magic.copy(copy, 0)
	copy.writeUInt32LE(segmentFormat, 8)
	copy.writeBigUInt64LE(BigInt(header.number), 12)
	copy.write(header.logId, 20, 'hex')
	header.marker.copy(copy, 28)
	copy.writeUInt32LE(crc32(copy.subarray(0, 32)), 32)
	return Buffer.concat([copy, copy])
}

/** The header of a segment, or undefined when both copies are damaged. */
export function decodeHeader(bytes: Buffer): SegmentHeader | undefined {
	return (
		decodeHeaderCopy(bytes.subarray(0, headerCopyBytes)) ??
		decodeHeaderCopy(bytes.subarray(headerCopyBytes, headerBytes))
	)
}

function decodeHeaderCopy(copy: Buffer): SegmentHeader | undefined {
	if (copy.length < headerCopyBytes || !copy.subarray(0, 8).equals(magic)) return undefined
	if (crc32(copy.subarray(0, 32)) !== copy.readUInt32LE(32)) return undefined
	if (copy.readUInt32LE(8) !== segmentFormat)
		throw new Error(`The log was written by a newer version (segment format ${copy.readUInt32LE(8)})`)
	return {
		number: Number(copy.readBigUInt64LE(12)),
		logId: copy.toString('hex', 20, 28),
		marker: Buffer.from(copy.subarray(28, 32)),
	}
}

/** Record: length u32 | crc32 u32 | kind u8 | row format u8 | marker 4 | [key 16] | workspace length u8 | workspace | rows u32 | bytes. */
const fixedBytes = 14
const keyBytes = 16
const minLength = 6 + 1 + 4

/** The size of a record in the log, in bytes. */
export function recordBytes(record: LogRecord): number {
	const workspaceBytes = Buffer.byteLength(record.workspaceId)
	if (workspaceBytes > 255) throw new RangeError('A workspace id has at most 255 bytes')
	const extraBytes = (record.key ? keyBytes : 0) + (isFacts(record.rowFormat) ? sealBytes : 0)
	return fixedBytes + extraBytes + 1 + workspaceBytes + 4 + record.bytes.length
}

/** The marker of the record's segment, read from the first bytes of the record. */
export function markerOf(record: Buffer): Buffer {
	return record.subarray(10, 14)
}

/**
 * Writes a record without its checksum (`sealRecords` adds it in the log's thread); returns the position after it. `seal` encrypts
 * facts of calls; the record is complete after `seal.finish`.
 */
export function writeRecord(
	target: Buffer,
	start: number,
	record: LogRecord,
	marker: Buffer,
	seal: FactsSeal | null = null,
): number {
	let at = start + 8
	target[at++] = record.kind
	target[at++] = record.rowFormat
	marker.copy(target, at)
	at += 4
	if (record.key) at += target.write(record.key, at, keyBytes, 'hex')
	const workspaceLength = target.write(record.workspaceId, at + 1)
	target[at] = workspaceLength
	at = target.writeUInt32LE(record.count, at + 1 + workspaceLength)
	if (isFacts(record.rowFormat)) {
		if (seal) at = seal.add(target, at, record.bytes)
		else if (record.bytes.length === 0) at = target.writeUIntLE(0, at, sealBytes)
		else throw new Error('The log has no key for facts of calls')
	} else {
		target.set(record.bytes, at)
		at += record.bytes.length
	}
	target.writeUInt32LE(at - start - 8, start)
	return at
}

/** Adds the checksums to a run of complete records. */
export function sealRecords(run: Buffer): void {
	for (let at = 0; at < run.length; ) {
		const end = at + 8 + run.readUInt32LE(at)
		run.writeUInt32LE(crc32(run.subarray(at + 8, end)), at + 4)
		at = end
	}
}

/** The payload of the record at `start` if it is complete and undamaged, as a view of `source`; otherwise null. */
export function carriedBytes(source: Buffer, start: number, limit: number, marker: Buffer): Buffer | null {
	const end = endOfRecord(source, start, limit, marker)
	if (end < 0) return null
	return source.subarray(start + endOfHead(source.subarray(start)), end)
}

/** Offset of a record's payload. */
function endOfHead(record: Buffer): number {
	const at = fixedBytes + (record[8] === recordKinds.rows ? 0 : keyBytes)
	return at + 1 + (record[at] ?? 0) + 4
}

/** The end of the record at `start`; -1 if it is incomplete or damaged. */
function endOfRecord(source: Buffer, start: number, limit: number, marker: Buffer): number {
	if (start + fixedBytes > limit) return -1
	const end = start + 8 + source.readUInt32LE(start)
	if (end > limit || end < start + 8 + minLength) return -1
	if (source.compare(marker, 0, 4, start + 10, start + 14) !== 0) return -1
	return crc32(source.subarray(start + 8, end)) === source.readUInt32LE(start + 4) ? end : -1
}

function parseBody(source: Buffer, start: number, end: number): LogRecord {
	const kind = source[start] as RecordKind
	let at = start + 6
	const key = kind === recordKinds.rows ? '' : source.toString('hex', at, at + keyBytes)
	if (key) at += keyBytes
	const workspaceEnd = at + 1 + (source[at] ?? 0)
	return {
		kind,
		rowFormat: source[start + 1] ?? 0,
		key,
		workspaceId: source.toString('utf8', at + 1, workspaceEnd),
		count: source.readUInt32LE(workspaceEnd),
		bytes: source.subarray(workspaceEnd + 4, end),
	}
}

/** Upper bound of the bytes that a record's fields take before its payload. */
export const maxHeadBytes = 512

/**
 * Parses the beginning of a record without checking its checksum. Its `bytes` are as many as are available, and begin at `bytesAt`.
 * Undefined if no record begins here.
 */
export function peekRecord(
	head: Buffer,
	marker: Buffer,
): { record: LogRecord; bytesAt: number; length: number } | undefined {
	if (head.length < 8 + minLength || head.compare(marker, 0, 4, 10, 14) !== 0) return undefined
	const length = 8 + head.readUInt32LE(0)
	const end = Math.min(length, head.length)
	// The key and the workspace's name are part of the head.
	if (end < 8 + minLength || end < endOfHead(head)) return undefined
	const record = parseBody(head, 8, end)
	return { record, bytesAt: end - record.bytes.length, length }
}

export interface Scan {
	/** The position after the last complete record. */
	end: number
	damagedRecords: number
	/** Whether the bytes after `end` look like a write that a crash cut short. */
	torn: boolean
}

/**
 * Visits every undamaged record from `from` to `limit` in order. After a damaged one it continues at the next valid record. What
 * follows the last valid record counts as damaged only when it cannot be an unfinished write. Records of row formats for which
 * `passes` returns true are visited without being decoded.
 */
export function scanRecords(
	source: Buffer,
	from: number,
	limit: number,
	marker: Buffer,
	visit: (record: LogRecord, start: number, end: number) => void,
	passes: (rowFormat: number) => boolean = () => false,
): Scan {
	let damagedRecords = 0
	let at = from
	while (at < limit) {
		const end = endOfRecord(source, at, limit, marker)
		if (end >= 0) {
			if (!passes(source[at + 9] as number)) visit(parseBody(source, at + 8, end), at, end)
			at = end
			continue
		}
		const gap = findNextRecord(source, at, limit, marker)
		if (gap.next === undefined) {
			const torn = isUnfinishedWrite(source, at, limit)
			return { end: at, damagedRecords: damagedRecords + (torn ? 0 : gap.damaged), torn }
		}
		damagedRecords += gap.damaged
		at = gap.next
	}
	return { end: at, damagedRecords, torn: false }
}

function findNextRecord(
	source: Buffer,
	from: number,
	limit: number,
	marker: Buffer,
): { next?: number; damaged: number } {
	let damaged = 1
	for (
		let hit = source.indexOf(marker, from + 10);
		hit !== -1 && hit < limit;
		hit = source.indexOf(marker, hit + 4)
	) {
		if (hit - 10 === from) continue
		if (endOfRecord(source, hit - 10, limit, marker) >= 0) return { next: hit - 10, damaged }
		damaged++
	}
	return { damaged }
}

/** A process that dies leaves a shorter file; a power cut may leave zeros in place of the data. */
function isUnfinishedWrite(source: Buffer, start: number, limit: number): boolean {
	if (start + 8 > limit) return true
	const length = source.readUInt32LE(start)
	return (
		length === 0 ||
		start + 8 + length > limit ||
		source.subarray(start + 8, limit).every((byte) => byte === 0)
	)
}
