import { readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../platform/log.ts'
import type { LogSegment } from './log-entry.ts'
import { quarantineDirectory, segmentNumber } from './log-files.ts'
import type { LogReader } from './log-reader.ts'
import { namesSubject } from './log-subject.ts'
import type { LogThread } from './log-thread.ts'
import type { Manifest, ManifestLine, Range } from './manifest.ts'
import type { BatchPart, BatchRequest } from './read-batch.ts'
import type { LogSubject } from './recorder.ts'
import { markerOf, scanRecords } from './segment-format.ts'

/**
 * The engine's errors that mean bad data. Any other error (disk, missing table, connection) is not the batch's fault: the same batch
 * is retried until it is stored.
 */
const badDataTypes = new Set([
	'ARGUMENT_OUT_OF_BOUND',
	'ATTEMPT_TO_READ_AFTER_EOF',
	'CANNOT_PARSE_DATE',
	'CANNOT_PARSE_DATETIME',
	'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
	'CANNOT_PARSE_NUMBER',
	'CANNOT_PARSE_TEXT',
	'CANNOT_READ_ALL_DATA',
	'CANNOT_READ_ARRAY_FROM_TEXT',
	'CANNOT_READ_MAP_FROM_TEXT',
	'INCORRECT_DATA',
	'SIZES_OF_ARRAYS_DONT_MATCH',
	'TOO_LARGE_ARRAY_SIZE',
	'TOO_LARGE_STRING_SIZE',
	'UNEXPECTED_END_OF_FILE',
	'UNKNOWN_ELEMENT_OF_ENUM',
	'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
	'VIOLATED_CONSTRAINT',
])

/** Where a block is malformed, the engine takes other bytes for the name or the type of a column. */
const badBlockTypes = new Set(['SYNTAX_ERROR', 'UNKNOWN_TYPE'])

export function isRefusedAsBadData(error: unknown): boolean {
	if (!(error instanceof Error && 'type' in error)) return false
	const type = String(error.type)
	return badDataTypes.has(type) || (badBlockTypes.has(type) && error.message.includes('executing Native'))
}

const memoryTypes = new Set(['CANNOT_ALLOCATE_MEMORY', 'MEMORY_LIMIT_EXCEEDED'])

/** The engine had too little memory: for the query, or for all that it does at the time. */
export function isShortOfMemory(error: unknown): boolean {
	return error instanceof Error && 'type' in error && memoryTypes.has(String(error.type))
}

const refusalsBeforeSplit = 3
const refusalsBeforeGivingUpSplitting = 256

interface RefusedBatchesOptions {
	manifest: Manifest
	reader: Pick<LogReader, 'findMiddle'>
	quarantine: Pick<Quarantine, 'setAside'>
	log: Log
}

/**
 * Finds the bad records in batches that the engine refuses because of their data: splits such a batch in halves until one record is
 * left.
 */
export class RefusedBatches {
	readonly #options: RefusedBatchesOptions
	/** Halves of refused batches. They are split at their first refusal. */
	readonly #suspects = new Set<string>()
	#inARow = 0

	constructor(options: RefusedBatchesOptions) {
		this.#options = options
	}

	/** How often a batch may be refused before it is isolated. */
	allowedRefusals(batch: Batch): number {
		return this.#suspects.has(keyOf(batch)) ? 1 : refusalsBeforeSplit
	}

	/** The engine stored it. */
	passed(batch: Batch): void {
		this.#inARow = 0
		this.#suspects.delete(keyOf(batch))
	}

	/** Splits a refused range, or quarantines it when it is one record or when splitting has found no good rows for long. */
	async isolate(batch: Batch): Promise<void> {
		this.#suspects.delete(keyOf(batch))
		const halves = await this.split(batch, ++this.#inARow <= refusalsBeforeGivingUpSplitting)
		for (const half of halves) this.#suspects.add(keyOf(half))
		if (halves.length === 0) await this.#setAside(batch)
	}

	/** Notes what is stored of an open range and splits the rest in two; returns nothing if it is one record or may not be split. */
	async split(batch: Batch, isAllowed = true): Promise<Pick<Batch, 'segment' | 'range'>[]> {
		const { segment } = batch
		const range = await this.#noteStored(batch)
		Object.assign(batch, { range, stored: [] })
		const middle = isAllowed && (await this.#options.reader.findMiddle(toRequest(segment, range)))
		if (!middle) return []
		const { from, to } = range
		const { at, rowsBefore, rowsAfter } = middle
		await this.#options.manifest.append(
			[['split', segment.header.number, from, at, to, rowsBefore, rowsAfter]],
			true,
		)
		return [
			{ segment, range: { ...range, to: at } },
			{ segment, range: { ...range, from: at } },
		]
	}

	/** The halves have other tokens than the whole range, so the engine would store again what it took under the range's token. */
	async #noteStored({ segment, range, stored }: Batch): Promise<Range> {
		const { number } = segment.header
		const { from, to } = range
		const lines = stored.map(
			({ rowFormat, rows }): ManifestLine => ['stored', number, from, to, rows, rowFormat],
		)
		if (lines.length > 0) await this.#options.manifest.append(lines, false)
		const open = this.#options.manifest.state.segments.get(number)?.open ?? []
		return open.find((each) => each.from === from && each.to === to) ?? range
	}

	async #setAside({ segment, range }: Batch): Promise<void> {
		const { number } = segment.header
		const { from, to, rows } = range
		const file = `${String(number).padStart(16, '0')}-${from}-${to}.records`
		await this.#options.quarantine.setAside(file, toRequest(segment, range))
		await this.#options.manifest.append([['poison', number, from, to, rows]], true)
		this.#options.log.error(
			{ segment: number, from, to, rows },
			'rows that the telemetry store refuses were quarantined',
		)
	}
}

/** A range that is being inserted into the engine. */
export interface Batch {
	segment: LogSegment
	range: Range
	/** The parts that the engine has stored since this process began to send the range. */
	stored: Omit<BatchPart, 'bytes'>[]
}

export function keyOf({ segment, range }: Pick<Batch, 'segment' | 'range'>): string {
	return `${segment.header.number}:${range.from}-${range.to}`
}

export function toRequest(
	{ header }: LogSegment,
	{ from, to, storedFormats = [] }: Pick<Range, 'from' | 'to' | 'storedFormats'>,
): BatchRequest {
	return { number: header.number, marker: header.marker, from, to, storedFormats }
}

/**
 * Records that the telemetry store refuses, kept in the format of the log. They count towards the log's size limit until somebody
 * removes them.
 */
export interface Quarantine {
	/** The size of all records in it. */
	bytes: number
	/** Stores the records of a range durably. */
	setAside(file: string, range: BatchRequest): Promise<void>
	/** Removes the records that name a subject. An unreadable segment that contains the subject's bytes is removed as a whole. */
	removeSubject(subject: LogSubject): Promise<void>
}

export function createQuarantine(directory: string, thread: LogThread, reader: LogReader): Quarantine {
	const path = quarantineDirectory(directory)
	const quarantine: Quarantine = {
		bytes: readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0),
		async setAside(file, range) {
			const records = await reader.readRecords(range)
			await thread.run({ name: 'quarantine', file, bytes: records })
			quarantine.bytes += records.length
		},
		async removeSubject(subject) {
			for (const file of readdirSync(path)) {
				const before = await readFile(join(path, file))
				const left = withoutSubject(file, before, subject)
				if (left.length === before.length) continue
				await thread.run({ name: 'quarantine', file, bytes: left })
				quarantine.bytes -= before.length - left.length
			}
		},
	}
	return quarantine
}

function withoutSubject(file: string, bytes: Buffer, subject: LogSubject): Buffer {
	const isNamed = namesSubject(subject)
	if (!isNamed({ workspaceId: subject.workspaceId, bytes })) return bytes
	const left: Buffer[] = []
	// In an unreadable segment, records cannot be assigned to subjects.
	if (segmentNumber(file) === undefined)
		scanRecords(bytes, 0, bytes.length, markerOf(bytes), (record, start, end) => {
			if (!isNamed(record)) left.push(bytes.subarray(start, end))
		})
	return Buffer.concat(left)
}
