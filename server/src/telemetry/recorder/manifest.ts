import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { LogSegment } from './log-entry.ts'
import { quarantineDirectory, segmentPath } from './log-files.ts'
import type { LogThread } from './log-thread.ts'
import type { LogFile, LogSnapshot } from './recorder.ts'
import { headerBytes } from './segment-format.ts'

const compactAboveBytes = 256 * 1024

/** The durable record of what was shipped. Its state in memory changes only after the file did. */
export class Manifest {
	readonly #thread: LogThread
	#state: ManifestState
	#queue: Promise<void> = Promise.resolve()
	bytes = 0

	constructor(thread: LogThread, state: ManifestState) {
		this.#thread = thread
		this.#state = state
	}

	get state(): ManifestState {
		return this.#state
	}

	/** Adds lines; with `flush` it resolves when they are on disk, else when they are written. */
	append(lines: ManifestLine[], flush: boolean): Promise<void> {
		return this.#enqueue(() => this.#append(lines, flush))
	}

	/** Writes the whole state into a new file that replaces the old one. */
	compact(): Promise<void> {
		return this.#enqueue(() => this.#replace(this.#state))
	}

	#enqueue(work: () => Promise<void>): Promise<void> {
		const result = this.#queue.then(work)
		this.#queue = result.catch(() => undefined)
		return result
	}

	async #append(lines: ManifestLine[], flush: boolean): Promise<void> {
		const next = lines.reduce(applyLine, this.#state)
		const bytes = encodeLines(lines)
		if (this.bytes + bytes.length > compactAboveBytes) return this.#replace(next)
		try {
			await this.#thread.run({ name: 'append-manifest', bytes, flush })
		} catch {
			// What a failed write or flush left in the file is unknown, so the file is rewritten instead of written to again.
			return this.#replace(next)
		}
		this.bytes += bytes.length
		this.#state = next
	}

	async #replace(next: ManifestState): Promise<void> {
		const bytes = encodeLines([snapshotLine(next)])
		await this.#thread.run({ name: 'replace-manifest', bytes })
		this.bytes = bytes.length
		this.#state = next
	}
}

/** A fixed byte range of one segment that goes into the engine as one insert. */
export interface Range {
	from: number
	to: number
	/** Rows that are not settled. */
	rows: number
	/** The run of the store to which it was first sent. */
	run?: string
	/** Row formats whose rows are already stored, of a range that the engine refused because of rows of another format. */
	storedFormats?: readonly number[]
}

interface ManifestSegment {
	/** The final end of the segment and the acknowledged rows in it; null until that is known. */
	sealed: { end: number; rows: number } | null
	/** Batches that were begun and are not settled, in order. */
	open: Range[]
	/** Start of what is not yet in a batch. */
	takenTo: number
	/** Rows stored or quarantined. */
	settledRows: number
}

export interface ManifestState {
	/** The highest segment number seen. */
	lastNumber: number
	/** Segments up to this number are finished; a remaining file of theirs can be deleted. */
	retiredTo: number
	/** Acknowledged rows of deleted segments. */
	retiredRows: number
	storedRows: number
	quarantinedRows: number
	damagedRecords: number
	segments: Map<number, ManifestSegment>
}

export type ManifestLine =
	| ['seal', number: number, end: number, rows: number]
	| ['begin', number: number, from: number, to: number, rows: number, run?: string]
	/** The rows of one format in an open range are in the engine, others are not. */
	| ['stored', number: number, from: number, to: number, rows: number, rowFormat: number]
	| ['split', number: number, from: number, at: number, to: number, rowsBefore: number, rowsAfter: number]
	| ['done', number: number, from: number, to: number, rows: number]
	| ['poison', number: number, from: number, to: number, rows: number]
	/** Completely shipped and removed; always the oldest segment. */
	| ['retire', number: number, rows: number, damagedRecords: number]
	/** Missing, or unreadable as a whole. */
	| ['lost', number: number, rows: number, damagedRecords: number]
	| ['state', state: Omit<ManifestState, 'segments'>, segments: [number, ManifestSegment][]]

export function emptyManifest(): ManifestState {
	return {
		lastNumber: 0,
		retiredTo: 0,
		retiredRows: 0,
		storedRows: 0,
		quarantinedRows: 0,
		damagedRecords: 0,
		segments: new Map(),
	}
}

function snapshotLine(state: ManifestState): ManifestLine {
	const { segments, ...rest } = state
	return ['state', rest, [...segments]]
}

function encodeLines(lines: readonly ManifestLine[]): Buffer {
	return Buffer.from(lines.map((line) => withChecksum(JSON.stringify(line))).join(''))
}

function withChecksum(json: string): string {
	return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`
}

/** Parses a manifest. Damaged lines are skipped and counted; an incomplete last line is an unfinished write. */
export function decodeLines(text: string): { lines: ManifestLine[]; damaged: number } {
	const lines: ManifestLine[] = []
	const parts = text.split('\n')
	parts.pop()
	for (const part of parts) {
		const json = part.slice(9)
		if (withChecksum(json) === `${part}\n`) lines.push(JSON.parse(json))
	}
	return { lines, damaged: parts.length - lines.length }
}

/** The state after one more line. */
export function applyLine(state: ManifestState, line: ManifestLine): ManifestState {
	if (line[0] === 'state') return { ...line[1], segments: new Map(line[2]) }
	const [kind, number] = line
	const next = { ...state, lastNumber: Math.max(state.lastNumber, number), segments: new Map(state.segments) }
	if (number <= state.retiredTo) return next
	if (kind === 'retire' || kind === 'lost') return endSegment(next, line)
	next.segments.set(number, applyToSegment(state.segments.get(number) ?? newManifestSegment(), line))
	if (kind === 'done' || kind === 'stored') next.storedRows += line[4]
	if (kind === 'poison') next.quarantinedRows += line[4]
	return next
}

export function newManifestSegment(): ManifestSegment {
	return { sealed: null, open: [], takenTo: headerBytes, settledRows: 0 }
}

function endSegment(
	next: ManifestState,
	line: ManifestLine & ['retire' | 'lost', ...unknown[]],
): ManifestState {
	const [kind, number, rows, damagedRecords] = line
	next.segments.delete(number)
	next.retiredRows += rows
	next.damagedRecords += damagedRecords
	if (kind === 'retire') next.retiredTo = number
	return next
}

function applyToSegment(
	segment: ManifestSegment,
	line: ManifestLine & ['seal' | 'begin' | 'stored' | 'split' | 'done' | 'poison', ...unknown[]],
): ManifestSegment {
	if (line[0] === 'seal') return { ...segment, sealed: { end: line[2], rows: line[3] } }
	if (line[0] === 'begin') return take(segment, begunRange(line))
	if (line[0] === 'stored') return noteStored(segment, line)
	if (line[0] === 'split') return split(segment, line)
	return settle(segment, { from: line[2], to: line[3], rows: line[4] })
}

function begunRange([, , from, to, rows, run]: ManifestLine & ['begin', ...unknown[]]): Range {
	return { from, to, rows, ...(run !== undefined && { run }) }
}

/**
 * Batches follow each other without gaps. A gap is a batch whose own line was damaged, so it is treated as open, with only its
 * range known.
 */
function take(segment: ManifestSegment, range: Range): ManifestSegment {
	if (range.to <= segment.takenTo) return segment
	const gap = range.from > segment.takenTo ? [{ from: segment.takenTo, to: range.from, rows: 0 }] : []
	return { ...segment, open: [...segment.open, ...gap, range], takenTo: range.to }
}

function noteStored(
	segment: ManifestSegment,
	[, , from, to, rows, rowFormat]: ManifestLine & ['stored', ...unknown[]],
): ManifestSegment {
	const open = segment.open.map((range) =>
		range.from === from && range.to === to
			? { ...range, rows: range.rows - rows, storedFormats: [...(range.storedFormats ?? []), rowFormat] }
			: range,
	)
	return { ...segment, open, settledRows: segment.settledRows + rows }
}

function split(
	segment: ManifestSegment,
	[, , from, at, to, before, after]: ManifestLine & ['split', ...unknown[]],
): ManifestSegment {
	// Without its run: the whole range was sent under a token that tells nothing of its halves.
	const parts = ({ run: _, ...range }: Range) => [
		{ ...range, to: at, rows: before },
		{ ...range, from: at, rows: after },
	]
	return {
		...segment,
		open: segment.open.flatMap((range) => (range.from === from && range.to === to ? parts(range) : [range])),
	}
}

function settle(segment: ManifestSegment, range: Range): ManifestSegment {
	const taken = take(segment, range)
	const open = taken.open.flatMap((each) => subtract(each, range))
	return { ...taken, open, settledRows: taken.settledRows + range.rows }
}

function subtract(from: Range, settled: Range): Range[] {
	if (settled.to <= from.from || settled.from >= from.to) return [from]
	const left = { ...from, to: settled.from }
	const right = { ...from, from: settled.to }
	return [left, right].filter((range) => range.from < range.to)
}

interface SnapshotSource {
	directory: string
	segments: ReadonlyMap<number, LogSegment>
	manifest: Manifest
}

/** The log as of now: its segments up to the flushed position, a manifest that ends them there, and the quarantine. */
export function snapshotLog(
	{ directory, segments, manifest }: SnapshotSource,
	pendingRows: number,
): LogSnapshot {
	const live = [...segments.values()].map(({ header, flushedEnd, rows }) => ({
		number: header.number,
		end: flushedEnd,
		rows,
	}))
	const account = encodeLines([snapshotLine(endedAt(manifest.state, live))])
	const aside = quarantineDirectory(directory)
	return {
		pendingRows,
		files: [
			...live.map(({ number, end }) => toFile(segmentPath('', number), segmentPath(directory, number), end)),
			...readdirSync(aside).map((name) => toFile(join('quarantine', name), join(aside, name))),
			{
				path: 'manifest.log',
				read: async function* () {
					yield account
				},
			},
		],
	}
}

function toFile(path: string, source: string, end?: number): LogFile {
	return { path, read: () => createReadStream(source, end === undefined ? {} : { end: end - 1 }) }
}

function endedAt(
	state: ManifestState,
	live: readonly { number: number; end: number; rows: number }[],
): ManifestState {
	const ended = live.map(({ number, end, rows }) => {
		const segment = state.segments.get(number) ?? newManifestSegment()
		return [number, { ...segment, sealed: { end, rows } }] as const
	})
	return { ...state, segments: new Map(ended) }
}
