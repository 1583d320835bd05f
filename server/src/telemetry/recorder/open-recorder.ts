import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { atIntervals, type Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { memoryBytes } from '../../platform/resources.ts'
import { otherRowFormats, type RowFormat } from '../row-formats.ts'
import { olderRowFormats, spanColumnNames, spanRowFormat } from '../span-columns.ts'
import type { RowStore } from './insert-missing.ts'
import { type LogEntry, type LogSegment, newLogEntry } from './log-entry.ts'
import { loadFiles, quarantineDirectory, syncDirectory } from './log-files.ts'
import { LogReader } from './log-reader.ts'
import { LogThread } from './log-thread.ts'
import type { Manifest } from './manifest.ts'
import { NewestRowsReader } from './newest-rows.ts'
import { callsIn, interruptedEntry, type OpenCall, OpenCalls, Room } from './open-calls.ts'
import { RecordedKeys } from './recorded-keys.ts'
import type { LogRecorder } from './recorder.ts'
import { type ReplayedLog, replayLog } from './replay-log.ts'
import { type RecordPlace, RowMaking } from './row-making.ts'
import { PreparedPart } from './run-transport.ts'
import type { SegmentHeader } from './segment-format.ts'
import { SegmentWriter } from './segment-writer.ts'
import { Shipper } from './shipper.ts'
import { WalRecorder } from './wal-recorder.ts'

export interface RecorderOptions {
	/** Used by this log alone, and by one process at a time. */
	directory: string
	store: RowStore
	/** Default: `spans`. */
	table?: string
	columns?: readonly string[]
	/** Version of the row layout of `columns`. */
	rowFormat?: number
	/** Columns of earlier layouts that the log may still contain. */
	olderFormats?: ReadonlyMap<number, readonly string[]>
	/** Maximum size of everything in the directory. Default: 2 GiB. */
	maxBytes?: number
	/** Kept free for outcomes, in the log and on the disk. Default: 64 MiB, at most an eighth of `maxBytes`. */
	reserveBytes?: number
	/** Default: 64 MiB, at most an eighth of `maxBytes`. */
	segmentBytes?: number
	/** Returns a 32-byte key for each name, the same at every start. Without it, the log accepts no facts of calls. */
	keyOf?: (name: string) => Buffer
	/** Whether queries do not read this log, and see rows only once they are in the store. Rows are then shipped twice as often. */
	isUnread?: boolean
	log: Log
	clock: Clock
	tuning?: RecorderTuning
}

/** Options that only tests change. */
export interface RecorderTuning {
	batchRows?: number
	batchBytes?: number
	batchDelayMs?: number
	retryMinMs?: number
	retryMaxMs?: number
	reopenAfterMs?: number
	maxUnflushedBytes?: number
	holdWaitMs?: number
	spaceEveryMs?: number
	/** A module that exports `createFiles(directory)`: file calls that fail. */
	filesModule?: string
}

const mebibyte = 1024 * 1024
/** The program and the engine hold a batch several times over, so batches are smaller on machines with less than 4 GiB of memory. */
const batchShare = Math.min(1, memoryBytes() / (4096 * mebibyte))
const defaultMaxBytes = 2048 * mebibyte

/** A store that hangs delays the shutdown no longer than this. */
const stopWaitMs = 2000

/** Opens the log: replays what an earlier process left, and starts shipping. Rejects when the directory is in use or unusable. */
export async function openRecorder(options: RecorderOptions): Promise<LogRecorder> {
	const { directory, log } = options
	fs.mkdirSync(quarantineDirectory(directory), { recursive: true, mode: 0o700 })
	for (const made of [directory, dirname(directory)]) syncDirectory(fs, made)
	const data = { directory, filesModule: options.tuning?.filesModule ?? null }
	const prepared = new PreparedPart(await loadFiles(data))
	const unlock = lockLog(directory)
	const thread = new LogThread(data)
	const filler = new LogThread(data, 'log-fill')
	const reader = new LogReader(directory)
	const closeFiles = async () => {
		await Promise.all([thread.close(), filler.close(), reader.close()])
		unlock()
	}
	try {
		const replayed = await replayLog({ directory, thread, reader, log })
		return await startRecorder({ options, thread, filler, prepared, reader, closeFiles, ...replayed })
	} catch (error) {
		await closeFiles()
		throw error
	}
}

/**
 * Locks a log's directory for this process; returns the release. It is a kernel lock (SQLite's file lock): it ends with the process
 * however that ends, and works between containers that share a disk.
 */
function lockLog(directory: string): () => void {
	const held = new DatabaseSync(join(directory, 'lock'), { timeout: 0 })
	try {
		held.exec('BEGIN EXCLUSIVE')
	} catch (error) {
		held.close()
		throw new Error(
			`The telemetry log ${directory} is in use by another process. Stop that one, or set another data directory.`,
			{ cause: error },
		)
	}
	return () => held.close()
}

interface OpenLog extends ReplayedLog {
	options: RecorderOptions
	thread: LogThread
	filler: LogThread
	prepared: PreparedPart
	reader: LogReader
	closeFiles(): Promise<void>
}

async function startRecorder(open: OpenLog): Promise<LogRecorder> {
	const { options, manifest, segments } = open
	const { log, clock, rowFormat = spanRowFormat } = options
	const calls = new OpenCalls()
	const keys = new RecordedKeys(clock, segmentBytesOf(options), open.keys)
	const shipper = createShipper(open, (segment) => retire(segment))
	const writer = createWriter(open, shipper)
	const rowMaking = new RowMaking({
		...{ directory: options.directory, segments, writer, log },
		retryMs: options.tuning?.retryMinMs ?? 100,
		keyOf: ({ header }) => keyOf(options, header) ?? Buffer.alloc(0),
		onMade: (record) => recorder.notifyRowsMade(record),
	})
	const retire = createRetire({ ...open, writer, calls, keys, rowMaking, log })
	const room = createRoom(open, writer)
	for (const call of open.ended) rowMaking.add(call)
	await writer.open(
		open.openIntents.map((intent) =>
			interruptedEntry(intent, (entry, segment) =>
				addInterrupted(rowMaking, open.announced, entry, segment, clock.nowMs()),
			),
		),
	)
	const stopMeasuring = await measureSpace(open, room)
	shipper.start()
	const close = async () => {
		stopMeasuring()
		await Promise.race([rowMaking.stop(), sleep(stopWaitMs, undefined, { ref: false })])
		await Promise.race([shipper.stop(), sleep(stopWaitMs, undefined, { ref: false })])
		// The filler would continue writing behind the position where the file is truncated.
		await open.filler.close()
		await writer.close().catch((error) => log.warn({ err: error }, 'sealing the telemetry log failed'))
		await open.closeFiles()
	}
	const recorder = new WalRecorder({
		rowMaking,
		takesFacts: options.keyOf !== undefined,
		rowFormat,
		clock,
		writer,
		shipper,
		manifest,
		segments,
		room,
		calls,
		keys,
		quarantine: open.quarantine,
		newest: new NewestRowsReader({
			...{ directory: options.directory, shipper, reader: open.reader },
			formats: formatsOf(options),
		}),
		directory: options.directory,
		holdWaitMs: options.tuning?.holdWaitMs ?? 60_000,
		close,
	})
	return recorder
}

/** A call whose process died counts as ended; there are no further facts of it. */
function addInterrupted(
	rowMaking: RowMaking,
	places: ReadonlyMap<string, RecordPlace>,
	{ record, at = 0, bytes }: LogEntry,
	{ header }: LogSegment,
	nowMs: number,
): void {
	const { key: id, rowFormat, workspaceId } = record
	const announced = places.get(id)
	if (!announced) return
	const ended = { segment: header.number, at, bytes }
	rowMaking.add({ id, rowFormat, workspaceId, announced, ended, atMs: nowMs })
}

function keyOf({ keyOf }: RecorderOptions, { logId, number }: SegmentHeader): Buffer | null {
	return keyOf?.(`telemetry log segment ${logId} ${number}`) ?? null
}

function createWriter(
	{ options, thread, filler, prepared, segments, manifest, nextNumber }: OpenLog,
	shipper: Shipper,
): SegmentWriter {
	return new SegmentWriter({
		thread,
		filler,
		prepared,
		segments,
		firstNumber: nextNumber,
		keyOf: (header) => keyOf(options, header),
		segmentBytes: segmentBytesOf(options),
		clock: options.clock,
		log: options.log,
		reopenAfterMs: options.tuning?.reopenAfterMs ?? 1000,
		seal: (ended) => manifest.append(ended.map(sealLine), true),
		shipper,
	})
}

function createRoom({ options, segments, manifest, quarantine }: OpenLog, writer: SegmentWriter): Room {
	return new Room({
		maxBytes: options.maxBytes ?? defaultMaxBytes,
		reserveBytes: options.reserveBytes ?? Math.min(64 * mebibyte, eighth(options)),
		maxUnflushedBytes: options.tuning?.maxUnflushedBytes ?? 128 * mebibyte,
		...{ segments, manifest, quarantine, writer },
	})
}

function createShipper(
	{ options, segments, manifest, reader, quarantine }: OpenLog,
	retire: (segment: LogSegment) => Promise<boolean>,
): Shipper {
	const { tuning = {}, isUnread = false } = options
	const delayMs = tuning.batchDelayMs ?? 250
	return new Shipper({
		segments,
		manifest,
		reader,
		store: options.store,
		formats: formatsOf(options),
		log: options.log,
		limits: {
			rows: tuning.batchRows ?? Math.floor(300_000 * batchShare),
			bytes: tuning.batchBytes ?? Math.floor(64 * mebibyte * batchShare),
			delayMs,
			streamDelayMs: delayMs * (isUnread ? 4 : 8),
			...(!isUnread && { unwatchedDelayMs: delayMs * 32 }),
		},
		retryMinMs: tuning.retryMinMs ?? 100,
		retryMaxMs: tuning.retryMaxMs ?? 5000,
		quarantine,
		retire,
	})
}

function formatsOf(options: RecorderOptions): ReadonlyMap<number, RowFormat> {
	const { rowFormat = spanRowFormat, columns = spanColumnNames, table = 'spans' } = options
	const { olderFormats = olderRowFormats } = options
	const formats = new Map(otherRowFormats)
	for (const [number, columns] of olderFormats) formats.set(number, { table, columns })
	return formats.set(rowFormat, { table, columns })
}

/** While nothing is written, only one in this many measurements of the disk's free space takes place. */
const idleChecks = 5

/**
 * Keeps the writer's figure of the disk's free space up to date and reports when there is no room; returns a function that stops
 * it.
 */
async function measureSpace({ options, thread }: OpenLog, room: Room): Promise<() => void> {
	let refusal: string | null = null
	const measure = async () => {
		await thread.run({ name: 'measure-space' })
		const now = room.refusal(0)
		if (now !== null && refusal === null)
			options.log.error({ directory: options.directory }, `the telemetry log takes no records. ${now}`)
		if (now === null && refusal !== null) options.log.info('the telemetry log takes records again')
		refusal = now
	}
	await measure()
	let measuredBytes = room.usedBytes()
	let skipped = 0
	return atIntervals(options.tuning?.spaceEveryMs ?? 1000, () => {
		// Each measurement wakes the thread of the log. While nothing is written, only other programs fill the disk.
		const isIdle = refusal === null && room.usedBytes() === measuredBytes
		skipped = isIdle ? (skipped + 1) % idleChecks : 0
		if (skipped > 0) return
		measuredBytes = room.usedBytes()
		void measure().catch(() => undefined)
	})
}

/** Segments must be small compared with the limit, because only whole ones are removed. */
function eighth(options: RecorderOptions): number {
	return Math.floor((options.maxBytes ?? defaultMaxBytes) / 8)
}

function segmentBytesOf(options: RecorderOptions): number {
	return Math.min(options.segmentBytes ?? 64 * mebibyte, eighth(options))
}

function sealLine(segment: LogSegment): ['seal', number, number, number] {
	return ['seal', segment.header.number, segment.end, segment.rows]
}

interface RetireOptions {
	segments: Map<number, LogSegment>
	manifest: Manifest
	thread: LogThread
	writer: SegmentWriter
	calls: OpenCalls
	keys: RecordedKeys
	rowMaking: Pick<RowMaking, 'needs'>
	log: Log
}

/**
 * Removes a segment whose rows are all settled. Open announcements and known keys are first copied to the current segment; then the
 * manifest notes that the segment is finished; only then the file is deleted.
 */
function createRetire({
	segments,
	manifest,
	thread,
	writer,
	calls,
	keys,
	rowMaking,
	log,
}: RetireOptions): (segment: LogSegment) => Promise<boolean> {
	return async (segment) => {
		const { number } = segment.header
		const open = callsIn(calls, number)
		if (!open || writer.failure !== null || rowMaking.needs(number)) return false
		await Promise.all([...open.map((call) => carryCall(writer, call)), carryKeys(writer, keys, number)])
		await manifest.append([['retire', number, segment.rows, segment.damagedRecords]], true)
		segments.delete(number)
		await thread
			.run({ name: 'remove-segments', numbers: [number] })
			.catch((error) => log.warn({ err: error }, 'a settled log segment could not be removed'))
		return true
	}
}

function carryCall(writer: SegmentWriter, call: OpenCall): Promise<void> {
	return new Promise((resolve, reject) => {
		const entry: LogEntry = newLogEntry(call.record, {
			mustFlush: true,
			keep: false,
			onFlushed: ({ header }) => {
				call.segment = header.number
				call.at = entry.at ?? 0
				resolve()
			},
			onFailed: (reason) => reject(new Error(reason)),
		})
		writer.add(entry)
	})
}

function carryKeys(writer: SegmentWriter, keys: RecordedKeys, segment: number): Promise<void> {
	return new Promise((resolve, reject) => {
		const entry = keys.carryFrom(segment, resolve, reject)
		if (entry) writer.add(entry)
		else resolve()
	})
}
