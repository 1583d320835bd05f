import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import { freesDisk } from '../../platform/disk-full.ts'
import { Problem } from '../../platform/errors.ts'
import type { ArrivedSpans } from '../blocks/arrived-spans.ts'
import { decodeSpanBlock } from '../blocks/span-block.ts'
import { spanBlockFormat } from '../span-columns.ts'
import type { SpanRow } from '../span-row.ts'
import { decodeMadeRows } from './call-facts.ts'
import { type LogEntry, type LogSegment, newLogEntry } from './log-entry.ts'
import { listSegments } from './log-files.ts'
import { type Manifest, snapshotLog } from './manifest.ts'
import type { NewestRowsReader } from './newest-rows.ts'
import { createCallIds, isUnderWay, OpenCall, type OpenCalls, type Room } from './open-calls.ts'
import type { Quarantine } from './quarantine.ts'
import type { Known, RecordedKeys } from './recorded-keys.ts'
import type {
	AnnounceListener,
	ConcludeListener,
	EncodedRows,
	Intent,
	LogRecorder,
	LogSnapshot,
	LogSubject,
	NewestAnswer,
	RecorderStats,
} from './recorder.ts'
import type { MakeRows, RowMaking } from './row-making.ts'
import { type FactsKind, factsFormats, type LogRecord, recordBytes, recordKinds } from './segment-format.ts'
import type { SegmentWriter } from './segment-writer.ts'
import type { Shipper } from './shipper.ts'

export interface WalRecorderParts {
	rowMaking: RowMaking
	/** Whether it has keys to encrypt facts of calls. */
	takesFacts: boolean
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
	newest: NewestRowsReader
	/** Directory of the log. */
	directory: string
	/** How long a snapshot waits for the store to take the current batch. */
	holdWaitMs: number
	/** Stops shipping and the threads, and releases the lock. */
	close(): Promise<void>
}

const retryAfterS = 5
const diskFailed = 'The disk of the telemetry log does not take records.'

/** The recorder over the write-ahead log. */
export class WalRecorder implements LogRecorder {
	readonly #parts: WalRecorderParts
	readonly #nextCallId = createCallIds()
	readonly #listeners = new Set<Listener>()
	#closing: Promise<void> | null = null

	constructor(parts: WalRecorderParts) {
		this.#parts = parts
	}

	announce(kind: FactsKind, workspaceId: string, facts: Uint8Array): Promise<Intent> {
		return new Promise((onAnnounced, onRefused) =>
			this.announceTo({ onAnnounced, onRefused }, kind, workspaceId, facts),
		)
	}

	announceTo(listener: AnnounceListener, kind: FactsKind, workspaceId: string, bytes: Uint8Array): void {
		if (!this.#parts.takesFacts)
			return void listener.onRefused(new Error('This log has no keys to encrypt facts of calls'))
		const { writer, room, calls, clock } = this.#parts
		const rowFormat = factsFormats[kind]
		const key = this.#nextCallId()
		const record: LogRecord = { kind: recordKinds.intent, rowFormat, key, workspaceId, count: 0, bytes }
		const call = new OpenCall(record, clock.nowMs(), listener, this.#onRefused)
		try {
			this.#requireRoom(record.bytes.length + call.reservedBytes)
			if (writer.failure !== null) throw this.#full(diskFailed)
		} catch (error) {
			return void listener.onRefused(error)
		}
		calls.add(call)
		room.reservedBytes += call.reservedBytes
		writer.add(call)
	}

	readonly #onRefused = (call: OpenCall, listener: AnnounceListener): void => {
		this.#release(call)
		listener.onRefused(this.#full(diskFailed))
	}

	conclude(intent: Intent, facts: Uint8Array): Promise<void> {
		return new Promise((onRecorded, onUnrecorded) =>
			this.concludeTo({ onRecorded, onUnrecorded }, intent, facts),
		)
	}

	concludeTo(listener: ConcludeListener, intent: Intent, facts: Uint8Array): void {
		if (!(intent instanceof OpenCall) || intent.slot < 0 || intent.finishing)
			return void listener.onUnrecorded(
				new Error('The call was not announced, or its outcome is recorded already'),
			)
		// Nothing else can end the call from now on.
		intent.finishing = true
		this.#parts.writer.add(new EndOfCall(intent, facts, listener, this.#onEnded))
	}

	servesUnrecorded(): boolean {
		return false
	}

	readonly #onEnded = ({ call, at, bytes }: EndOfCall, segment: number): void => {
		const { rowMaking, clock } = this.#parts
		const { rowFormat, workspaceId, key: id } = call.record
		const announced = { segment: call.segment as number, at: call.at, bytes: call.bytes }
		const ended = { segment, at, bytes }
		rowMaking.add({ id, rowFormat, workspaceId, announced, ended, atMs: clock.nowMs() })
		this.#release(call)
	}

	makeRows(make: MakeRows): void {
		this.#parts.rowMaking.start(make)
	}

	whenRowsMade(): Promise<void> {
		return this.#parts.rowMaking.settled()
	}

	/** Notifies listeners that the rows of calls are in the log. */
	notifyRowsMade({
		workspaceId,
		rowFormat,
		bytes,
	}: Pick<LogRecord, 'workspaceId' | 'rowFormat' | 'bytes'>): void {
		const listeners = [...this.#listeners].filter(({ wants }) => wants?.(workspaceId) ?? true)
		if (listeners.length === 0) return
		const spans = decodeMadeRows({ rowFormat, bytes }).find(({ rowFormat }) => rowFormat === spanBlockFormat)
		if (!spans) return
		const rows = decodeSpanBlock(spans.bytes)
		for (const { listener } of listeners) listener(rows)
	}

	async append(rows: EncodedRows): Promise<boolean> {
		if (rows.count === 0) return true
		if (rows.key !== undefined) return this.#parts.keys.once(rows.key, (known) => this.#append(rows, known))
		await this.#append(rows, null)
		return true
	}

	async #append(rows: EncodedRows, known: Known | null): Promise<void> {
		this.#requireRoom(rows.bytes.length)
		const { workspaceId, rowFormat = this.#parts.rowFormat, count, bytes, spans, key = '' } = rows
		const kind = key === '' ? recordKinds.rows : recordKinds.keyedRows
		const record = { kind, rowFormat, key, workspaceId, count, bytes }
		await new Promise<void>((resolve, reject) => {
			const entry = newLogEntry(record, {
				mustFlush: true,
				keep: false,
				onFlushed: ({ header }) => {
					resolve()
					if (known) known.segment = header.number
					if (spans) this.#notify(spans)
				},
				onFailed: (reason) => reject(unwritten(reason)),
			})
			this.#parts.writer.add(entry)
		})
		const holdBackMs = this.#parts.shipper.holdBackMs()
		if (holdBackMs > 0) await sleep(holdBackMs)
	}

	knows(key: string): boolean {
		return this.#parts.keys.has(key)
	}

	recordedKeys(): string[] {
		return this.#parts.keys.all()
	}

	onRecorded(listener: Listener['listener'], wants?: Listener['wants']): () => void {
		const listening = { listener, wants }
		this.#listeners.add(listening)
		return () => this.#listeners.delete(listening)
	}

	newest(table: string, workspaceId: string, traces?: readonly string[]): Promise<NewestAnswer> {
		return this.#parts.newest.read(table, workspaceId, traces)
	}

	onStored(listener: () => void): () => void {
		const { storedListeners } = this.#parts.shipper
		storedListeners.add(listener)
		return () => storedListeners.delete(listener)
	}

	takeArrived(storedMs: number, rows: number): readonly ArrivedSpans[] | null {
		return this.#parts.shipper.arrivals.take(storedMs, rows)
	}

	storeSoon(): void {
		this.#parts.shipper.storeSoon()
	}

	watched(): Promise<boolean> {
		return this.#parts.shipper.watched()
	}

	stats(): RecorderStats {
		const { manifest, segments, shipper, writer, room, calls, rowMaking, clock } = this.#parts
		const { storedRows, quarantinedRows, retiredRows, damagedRecords } = manifest.state
		const live = [...segments.values()]
		// A call counts as one row until its rows are built.
		const pendingRows = shipper.pendingRows() + rowMaking.size
		const recordedRows = live.reduce((sum, segment) => sum + segment.rows, retiredRows)
		const acknowledgedRows = recordedRows + rowMaking.size
		const oldestMs = earliest(shipper.oldestPendingAtMs(), rowMaking.oldestAtMs())
		return {
			acknowledgedRows,
			storedRows,
			pendingRows,
			quarantinedRows,
			damagedRecords: live.reduce((sum, segment) => sum + segment.damagedRecords, damagedRecords),
			damagedRows: acknowledgedRows - storedRows - pendingRows - quarantinedRows,
			openCalls: calls.size + rowMaking.size,
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
			return await work(snapshotLog(this.#parts, this.stats().pendingRows))
		} finally {
			release()
		}
	}

	async shed(waitMs: number): Promise<boolean> {
		const deadline = performance.now() + waitMs
		if (!(await within(waitMs, this.whenRowsMade()))) return false
		return shedLog(this.#parts, deadline - performance.now())
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
		// Calls whose rows are not built by then are left to the next start.
		await within(graceMs, this.whenRowsMade())
		while (shipper.pendingRows() > 0 && performance.now() < deadline) await sleep(5)
		await close()
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

	#notify(rows: readonly SpanRow[]): void {
		for (const { listener } of this.#listeners) listener(rows)
	}
}

interface Listener {
	listener: (rows: readonly SpanRow[]) => void
	wants?: ((workspaceId: string) => boolean) | undefined
}

/** The entry of a call's end on its way into the log. */
class EndOfCall implements LogEntry {
	readonly call: OpenCall
	readonly record: LogRecord
	readonly bytes: number
	readonly mustFlush = true
	readonly keep = true
	at = 0
	/** Null once it has been notified. A failed entry is written again, and flushed then. */
	#listener: ConcludeListener | null
	readonly #onEnded: (entry: EndOfCall, segment: number) => void

	constructor(
		call: OpenCall,
		facts: Uint8Array,
		listener: ConcludeListener,
		onEnded: (entry: EndOfCall, segment: number) => void,
	) {
		const { rowFormat, key, workspaceId } = call.record
		this.call = call
		this.record = { kind: recordKinds.outcome, rowFormat, key, workspaceId, count: 0, bytes: facts }
		this.bytes = recordBytes(this.record)
		this.#listener = listener
		this.#onEnded = onEnded
	}

	onFlushed({ header }: LogSegment): void {
		this.#onEnded(this, header.number)
		const listener = this.#listener
		this.#listener = null
		listener?.onRecorded()
	}

	onFailed(reason: string): void {
		const listener = this.#listener
		this.#listener = null
		listener?.onUnrecorded(unwritten(reason))
	}
}

function earliest(a: number | null, b: number | null): number | null {
	if (a === null || b === null) return a ?? b
	return Math.min(a, b)
}

/** Whether `work` finishes within `waitMs`. */
async function within(waitMs: number, work: Promise<void>): Promise<boolean> {
	const done = work.then(() => true)
	return Promise.race([done, sleep(Math.max(0, waitMs), false, { ref: false })])
}

/** The log's thread reports the reason as text. */
function unwritten(reason: string): Problem {
	if (/ENOSPC|EDQUOT/.test(reason))
		return new Problem('disk_full', `The disk of the data directory is full. To free it, ${freesDisk}.`, {
			retryAfterS,
		})
	return new Problem('store_unavailable', `The telemetry log could not be written: ${reason}`, {
		retryAfterS,
	})
}

const checkEveryMs = 20

/** See `LogRecorder.shed`. It checks the directory itself, because a removed segment's file is deleted. */
async function shedLog({ directory, writer, shipper }: WalRecorderParts, waitMs: number): Promise<boolean> {
	// Each attempt starts a segment, which gains nothing while the store is unavailable.
	if (shipper.failure !== null && shipper.pendingRows() > 0) return false
	const deadline = performance.now() + waitMs
	const last = listSegments(directory).at(-1) ?? 0
	try {
		await writer.endSegment()
	} catch {
		return false
	}
	for (;;) {
		if ((listSegments(directory)[0] ?? Number.POSITIVE_INFINITY) > last) return true
		if (performance.now() > deadline) return false
		shipper.wake()
		await sleep(checkEveryMs)
	}
}
