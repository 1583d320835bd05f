import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import { freesDisk } from '../../platform/disk-full.ts'
import { Problem } from '../../platform/errors.ts'
import type { SpanRow } from '../span-row.ts'
import { newLogEntry } from './log-entry.ts'
import type { LogSegment } from './log-segment.ts'
import type { Manifest } from './manifest.ts'
import { createCallIds, isUnderWay, OpenCall, type OpenCalls } from './open-calls.ts'
import type { Quarantine } from './quarantine.ts'
import type { RecordedKeys } from './recorded-keys.ts'
import type { EncodedRows, Intent, LogRecorder, LogSnapshot, LogSubject, RecorderStats } from './recorder.ts'
import type { Room } from './room.ts'
import { type LogRecord, recordKinds } from './segment-format.ts'
import type { SegmentWriter } from './segment-writer.ts'
import { shedLog } from './shed-log.ts'
import type { Shipper } from './shipper.ts'
import { snapshotLog } from './snapshot-log.ts'

export interface WalRecorderParts {
	encodeRow(row: SpanRow): Buffer
	rowFormat: number
	clock: Clock
	writer: SegmentWriter
	shipper: Shipper
	manifest: Manifest
	segments: ReadonlyMap<number, LogSegment>
	room: Room
	calls: OpenCalls
	keys: RecordedKeys
	quarantine: Quarantine
	/** Of the log. */
	directory: string
	/** How long a snapshot waits for the store to take the batch under way. */
	holdWaitMs: number
	/** Ends shipping, the threads and the lock. */
	close(): Promise<void>
}

const retryAfterS = 5
const diskFailed = 'The disk of the telemetry log does not take records.'

/** The recorder over the write-ahead log. */
export class WalRecorder implements LogRecorder {
	readonly #parts: WalRecorderParts
	readonly #nextCallId = createCallIds()
	readonly #listeners = new Set<(rows: readonly SpanRow[]) => void>()
	#closing: Promise<void> | null = null

	constructor(parts: WalRecorderParts) {
		this.#parts = parts
	}

	begin(interrupted: SpanRow): Promise<Intent> {
		return new Promise((resolve, reject) => {
			const { writer, room, calls, clock } = this.#parts
			const record = this.#toRecord(recordKinds.intent, this.#nextCallId(), interrupted)
			const call = new OpenCall(record, clock.nowMs(), resolve, (refused) => {
				this.#release(refused)
				reject(this.#full(diskFailed))
			})
			this.#requireRoom(record.bytes.length + call.reservedBytes)
			if (writer.failure !== null) throw this.#full(diskFailed)
			calls.add(call)
			room.reservedBytes += call.reservedBytes
			writer.add(call)
		})
	}

	finish(intent: Intent, outcome: SpanRow): Promise<void> {
		if (!(intent instanceof OpenCall) || intent.slot < 0 || intent.finishing)
			return Promise.reject(new Error('The call was not announced, or its outcome is recorded already'))
		intent.finishing = true
		const record = this.#toRecord(recordKinds.outcome, intent.id, outcome)
		return this.#write(record, true, () => {
			this.#release(intent)
			this.#tell([outcome])
		})
	}

	async append(rows: EncodedRows): Promise<boolean> {
		if (rows.count === 0) return true
		if (rows.key !== undefined)
			return this.#parts.keys.once(rows.key, (onFlushed) => this.#append(rows, onFlushed))
		await this.#append(rows, () => undefined)
		return true
	}

	async #append(rows: EncodedRows, onFlushed: (segment: number) => void): Promise<void> {
		this.#requireRoom(rows.bytes.length)
		const { workspaceId, rowFormat = this.#parts.rowFormat, count, bytes, spans, key = '' } = rows
		const kind = key === '' ? recordKinds.rows : recordKinds.keyedRows
		await this.#write({ kind, rowFormat, key, workspaceId, count, bytes }, false, (segment) => {
			onFlushed(segment)
			if (spans) this.#tell(spans)
		})
	}

	knows(key: string): boolean {
		return this.#parts.keys.has(key)
	}

	recordedKeys(): string[] {
		return this.#parts.keys.all()
	}

	onRecorded(listener: (rows: readonly SpanRow[]) => void): () => void {
		this.#listeners.add(listener)
		return () => this.#listeners.delete(listener)
	}

	stats(): RecorderStats {
		const { manifest, segments, shipper, writer, room, calls, clock } = this.#parts
		const { storedRows, quarantinedRows, retiredRows, damagedRecords } = manifest.state
		const live = [...segments.values()]
		const pendingRows = shipper.pendingRows()
		const acknowledgedRows = live.reduce((sum, segment) => sum + segment.rows, retiredRows)
		const oldestMs = shipper.oldestPendingAtMs()
		return {
			acknowledgedRows,
			storedRows,
			pendingRows,
			quarantinedRows,
			damagedRecords: live.reduce((sum, segment) => sum + segment.damagedRecords, damagedRecords),
			damagedRows: acknowledgedRows - storedRows - pendingRows - quarantinedRows,
			openCalls: calls.size,
			walBytes: room.usedBytes(),
			walMaxBytes: room.maxBytes,
			oldestPendingMs: oldestMs === null ? 0 : Math.max(0, clock.nowMs() - oldestMs),
			lastFlushMs: writer.lastFlushMs,
			writeFailure: writer.failure,
			refusal: room.refusal(0),
			shipFailure: shipper.failure,
		}
	}

	async snapshot<T>(work: (log: LogSnapshot) => Promise<T>): Promise<T> {
		const release = await this.#parts.shipper.hold(this.#parts.holdWaitMs)
		try {
			return await work(snapshotLog(this.#parts, this.#parts.shipper.pendingRows()))
		} finally {
			release()
		}
	}

	shed(waitMs: number): Promise<boolean> {
		return shedLog(this.#parts, waitMs)
	}

	async shedSubject(subject: LogSubject, waitMs: number): Promise<boolean> {
		const { calls, quarantine } = this.#parts
		if (isUnderWay(calls, subject) || !(await this.shed(waitMs))) return false
		await quarantine.removeSubject(subject)
		return true
	}

	close(graceMs: number): Promise<void> {
		this.#closing ??= this.#close(graceMs)
		return this.#closing
	}

	async #close(graceMs: number): Promise<void> {
		const { shipper, writer, close } = this.#parts
		const deadline = performance.now() + graceMs
		shipper.drain()
		await writer.flush().catch(() => undefined)
		while (shipper.pendingRows() > 0 && performance.now() < deadline) await sleep(5)
		await close()
	}

	#write(record: LogRecord, keep: boolean, onFlushed: (segment: number) => void): Promise<void> {
		return new Promise((resolve, reject) => {
			this.#parts.writer.add(
				newLogEntry(record, {
					mustFlush: true,
					keep,
					onFlushed: ({ header }) => {
						resolve()
						onFlushed(header.number)
					},
					onFailed: (reason) => reject(unwritten(reason)),
				}),
			)
		})
	}

	#toRecord(kind: LogRecord['kind'], key: string, row: SpanRow): LogRecord {
		const { encodeRow, rowFormat } = this.#parts
		return { kind, rowFormat, key, workspaceId: row.workspaceId, count: 1, bytes: encodeRow(row) }
	}

	#requireRoom(bytes: number): void {
		if (this.#closing !== null) throw new Problem('shutting_down')
		const refusal = this.#parts.room.refusal(bytes)
		if (refusal !== null) throw this.#full(refusal)
	}

	#full(detail: string): Problem {
		return new Problem('recorder_full', detail, { retryAfterS })
	}

	#release(call: OpenCall): void {
		if (this.#parts.calls.delete(call)) this.#parts.room.reservedBytes -= call.reservedBytes
	}

	#tell(rows: readonly SpanRow[]): void {
		for (const listener of this.#listeners) listener(rows)
	}
}

/** The reason comes from the log's thread as a text. */
function unwritten(reason: string): Problem {
	if (/ENOSPC|EDQUOT/.test(reason))
		return new Problem('disk_full', `The disk of the data directory is full. To free it, ${freesDisk}.`, {
			retryAfterS,
		})
	return new Problem('store_unavailable', `The telemetry log could not be written: ${reason}`, {
		retryAfterS,
	})
}
