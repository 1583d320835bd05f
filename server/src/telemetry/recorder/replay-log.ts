import { readFileSync } from 'node:fs'
import type { Log } from '../../platform/log.ts'
import type { LogSegment } from './log-entry.ts'
import { listSegments, manifestPath } from './log-files.ts'
import type { LogReader } from './log-reader.ts'
import type { LogThread } from './log-thread.ts'
import {
	applyLine,
	decodeLines,
	emptyManifest,
	Manifest,
	type ManifestLine,
	type ManifestState,
	newManifestSegment,
} from './manifest.ts'
import { createQuarantine, type Quarantine } from './quarantine.ts'
import type { RecordedKey } from './recorded-keys.ts'
import type { ReplayedSegment, ReplayRequest } from './replay-segments.ts'
import type { EndedCall, RecordPlace } from './row-making.ts'
import type { LogRecord } from './segment-format.ts'

interface ReplayOptions {
	directory: string
	thread: LogThread
	reader: LogReader
	log: Log
}

export interface ReplayedLog {
	manifest: Manifest
	segments: Map<number, LogSegment>
	openIntents: LogRecord[]
	announced: ReadonlyMap<string, RecordPlace>
	ended: EndedCall[]
	keys: RecordedKey[]
	nextNumber: number
	quarantine: Quarantine
}

/** Replays what an earlier process left: where each segment ends, what is shipped, which calls were interrupted. */
export async function replayLog({ directory, thread, reader, log }: ReplayOptions): Promise<ReplayedLog> {
	const state = readManifest(directory, log)
	const numbers = listSegments(directory)
	const kept = numbers.filter((number) => number > state.retiredTo)
	const replay = await reader.replay(kept.map((number) => toRequest(state, number)))
	const readable = replay.segments.filter((segment) => segment.header !== null)
	const manifest = new Manifest(thread, withRowsRead(state, readable))
	await manifest.compact()
	await thread.run({
		name: 'remove-segments',
		numbers: numbers.filter((number) => number <= state.retiredTo),
	})
	await setAsideUnreadable(replay.segments, state, manifest, thread, log)
	await sealUnfinished(readable, manifest, thread)
	for (const segment of readable)
		if (segment.damagedRecords > 0)
			log.error(
				{ segment: segment.number, records: segment.damagedRecords },
				'the telemetry log has damaged records',
			)
	return {
		manifest,
		segments: new Map(readable.map((segment) => [segment.number, toLogSegment(segment, manifest.state)])),
		openIntents: replay.openIntents,
		announced: new Map(replay.announced),
		ended: replay.ended,
		keys: replay.keys,
		nextNumber: Math.max(0, state.lastNumber, state.retiredTo, ...numbers) + 1,
		quarantine: createQuarantine(directory, thread, reader),
	}
}

function readManifest(directory: string, log: Log): ManifestState {
	let text = ''
	try {
		text = readFileSync(manifestPath(directory), 'utf8')
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
		if (listSegments(directory).length > 0)
			log.error('the manifest of the telemetry log is missing: rows that were stored may be stored again')
	}
	const { lines, damaged } = decodeLines(text)
	if (damaged > 0) log.error({ lines: damaged }, 'the manifest of the telemetry log has damaged lines')
	return lines.reduce(applyLine, emptyManifest())
}

function toRequest(state: ManifestState, number: number): ReplayRequest {
	const { sealed, open, takenTo } = state.segments.get(number) ?? newManifestSegment()
	return { number, sealedEnd: sealed?.end ?? null, open, takenTo }
}

/** The state, with the number of rows of open batches as actually read, which is what their insert will send. */
function withRowsRead(state: ManifestState, readable: readonly ReplayedSegment[]): ManifestState {
	const segments = new Map(state.segments)
	for (const { number, openRows } of readable) {
		const segment = segments.get(number)
		if (segment)
			segments.set(number, {
				...segment,
				open: segment.open.map((range, index) => ({ ...range, rows: openRows[index] ?? 0 })),
			})
	}
	return { ...state, segments }
}

/** Segments without a readable header are quarantined; missing segments are counted. */
async function setAsideUnreadable(
	replayed: readonly ReplayedSegment[],
	state: ManifestState,
	manifest: Manifest,
	thread: LogThread,
	log: Log,
): Promise<void> {
	const unreadable = replayed.filter((segment) => segment.header === null)
	for (const { number } of unreadable) await thread.run({ name: 'quarantine-segment', number })
	const present = new Set(
		replayed.filter((segment) => segment.header !== null).map((segment) => segment.number),
	)
	const lost = [...state.segments].filter(([number]) => !present.has(number))
	const unknown = unreadable.filter(({ number }) => !state.segments.has(number))
	const damage = new Map(unreadable.map(({ number, damagedRecords }) => [number, damagedRecords]))
	const lines = [
		...lost.map(
			([number, segment]): ManifestLine => [
				'lost',
				number,
				segment.sealed?.rows ?? segment.settledRows,
				damage.get(number) ?? (segment.sealed?.rows === 0 ? 0 : 1),
			],
		),
		...unknown.map(({ number, damagedRecords }): ManifestLine => ['lost', number, 0, damagedRecords]),
	]
	if (lines.length > 0) await manifest.append(lines, true)
	for (const line of lines)
		if (Number(line[3]) > 0)
			log.error(
				{ segment: line[1], rows: line[2] },
				'a segment of the telemetry log is missing or unreadable',
			)
}

/** Fixes the ends of the segments that the last process was still writing. They are flushed before anything relies on them. */
async function sealUnfinished(
	readable: readonly ReplayedSegment[],
	manifest: Manifest,
	thread: LogThread,
): Promise<void> {
	const unfinished = readable.filter(({ number }) => !manifest.state.segments.get(number)?.sealed)
	for (const { number } of unfinished) await thread.run({ name: 'sync-segment', number })
	if (unfinished.length > 0)
		await manifest.append(
			unfinished.map(({ number, end, rows }) => ['seal', number, end, rows]),
			true,
		)
}

function toLogSegment(replayed: ReplayedSegment, state: ManifestState): LogSegment {
	const { header, end, marks, damagedRecords, number } = replayed
	if (!header) throw new Error(`Segment ${number} has no header`)
	const { sealed, takenTo } = state.segments.get(number) ?? newManifestSegment()
	const marker = Buffer.from(header.marker)
	return {
		header: { ...header, marker },
		seal: null,
		end,
		flushedEnd: end,
		rows: sealed?.rows ?? 0,
		marks,
		takenTo,
		sealed: true,
		damagedRecords,
	}
}
