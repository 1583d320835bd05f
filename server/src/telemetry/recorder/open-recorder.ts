import fs from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { encodeSpanRow } from '../encode-row.ts'
import { spanColumnNames, spanRowFormat } from '../span-columns.ts'
import type { SpanRow } from '../span-row.ts'
import { quarantineDirectory, syncDirectory } from './log-files.ts'
import { lockLog } from './log-lock.ts'
import { LogReader } from './log-reader.ts'
import type { LogSegment } from './log-segment.ts'
import { LogThread } from './log-thread.ts'
import { interruptedEntry } from './open-calls.ts'
import type { Recorder } from './recorder.ts'
import { replayLog } from './replay-log.ts'
import { createRetire } from './retire.ts'
import { Room } from './room.ts'
import { SegmentWriter } from './segment-writer.ts'
import { type RowStore, Shipper } from './shipper.ts'
import { WalRecorder } from './wal-recorder.ts'

export interface RecorderOptions {
	/** Directory of the log alone. One process at a time. */
	directory: string
	store: RowStore
	/** One row in the binary form of `columns`. Default: the `spans` table's. */
	encodeRow?: (row: SpanRow) => Buffer
	/** Default `spans`. */
	table?: string
	columns?: readonly string[]
	/** Version of the row layout that `encodeRow` and `columns` have. */
	rowFormat?: number
	/** Columns of earlier layouts that a log may still hold. */
	olderFormats?: ReadonlyMap<number, readonly string[]>
	/** Bound of everything in the directory. Default 2 GiB. */
	maxBytes?: number
	/** Kept free for outcomes, in the log and on the disk. Default 64 MiB, at most an eighth of `maxBytes`. */
	reserveBytes?: number
	/** Default 64 MiB, at most an eighth of `maxBytes`. */
	segmentBytes?: number
	log: Log
	clock: Clock
	tuning?: RecorderTuning
}

/** What only tests change. */
export interface RecorderTuning {
	batchRows?: number
	batchBytes?: number
	batchDelayMs?: number
	retryMinMs?: number
	retryMaxMs?: number
	reopenAfterMs?: number
	maxUnflushedBytes?: number
	spaceEveryMs?: number
	/** A module that exports `files`: file calls that fail. */
	filesModule?: string
}

const mebibyte = 1024 * 1024

/** Opens the log: replays what an earlier process left, and begins to ship it. Rejects when the directory is in use or unusable. */
export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
	const { directory, log, clock, tuning = {} } = options
	const { maxBytes = 2048 * mebibyte, rowFormat = spanRowFormat } = options
	fs.mkdirSync(quarantineDirectory(directory), { recursive: true, mode: 0o700 })
	for (const made of [directory, dirname(directory)]) syncDirectory(fs, made)
	const unlock = lockLog(directory)
	const thread = new LogThread({ directory, filesModule: tuning.filesModule ?? null })
	const reader = new LogReader(directory)
	try {
		const { manifest, segments, openIntents, nextNumber, quarantine } = await replayLog({
			directory,
			thread,
			reader,
			log,
		})
		const writer = new SegmentWriter({
			thread,
			segments,
			firstNumber: nextNumber,
			segmentBytes: Math.min(options.segmentBytes ?? 64 * mebibyte, Math.floor(maxBytes / 8)),
			nowMs: () => clock.nowMs(),
			log,
			reopenAfterMs: tuning.reopenAfterMs ?? 1000,
			seal: (ended) => manifest.append(ended.map(sealLine), true),
			onFlushed: (rows, bytes) => shipper.notify(rows, bytes),
		})
		const room = new Room({
			maxBytes,
			reserveBytes: options.reserveBytes ?? Math.min(64 * mebibyte, Math.floor(maxBytes / 8)),
			maxUnflushedBytes: tuning.maxUnflushedBytes ?? 128 * mebibyte,
			usedBytes: () => sumEnds(segments) + manifest.bytes + quarantine.bytes,
			unflushedBytes: () => writer.unflushedBytes,
			freeDiskBytes: () => writer.freeBytes,
		})
		const calls = new Map()
		const shipper = new Shipper({
			segments,
			manifest,
			reader,
			store: options.store,
			table: options.table ?? 'spans',
			columns: new Map([...(options.olderFormats ?? []), [rowFormat, options.columns ?? spanColumnNames]]),
			log,
			limits: {
				rows: tuning.batchRows ?? 50_000,
				bytes: tuning.batchBytes ?? 16 * mebibyte,
				delayMs: tuning.batchDelayMs ?? 250,
			},
			retryMinMs: tuning.retryMinMs ?? 100,
			retryMaxMs: tuning.retryMaxMs ?? 5000,
			quarantine: quarantine.setAside,
			retire: createRetire({ segments, manifest, thread, writer, calls, log }),
		})
		await writer.open(openIntents.map(interruptedEntry))
		const measureSpace = () => thread.run({ name: 'measure-space' })
		await measureSpace()
		const spaceTimer = setInterval(
			() => void measureSpace().catch(() => undefined),
			tuning.spaceEveryMs ?? 1000,
		)
		shipper.start()
		const close = async () => {
			clearInterval(spaceTimer)
			await shipper.stop()
			await writer.close().catch((error) => log.warn({ err: error }, 'sealing the telemetry log failed'))
			await Promise.all([thread.close(), reader.close()])
			unlock()
		}
		return new WalRecorder({
			encodeRow: options.encodeRow ?? encodeSpanRow,
			rowFormat,
			clock,
			writer,
			shipper,
			manifest,
			segments,
			room,
			calls,
			close,
		})
	} catch (error) {
		await Promise.all([thread.close(), reader.close()])
		unlock()
		throw error
	}
}

function sealLine(segment: LogSegment): ['seal', number, number, number] {
	return ['seal', segment.header.number, segment.end, segment.rows]
}

function sumEnds(segments: ReadonlyMap<number, LogSegment>): number {
	let sum = 0
	for (const segment of segments.values()) sum += segment.end
	return sum
}
