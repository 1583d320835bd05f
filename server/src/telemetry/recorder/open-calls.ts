import { randomBytes } from 'node:crypto'
import { freesDisk } from '../../platform/disk-full.ts'
import { Slots } from '../../platform/slots.ts'
import { type LogEntry, type LogSegment, newLogEntry } from './log-entry.ts'
import { namesSubject } from './log-subject.ts'
import type { Manifest } from './manifest.ts'
import type { Quarantine } from './quarantine.ts'
import type { AnnounceListener, Intent, LogSubject } from './recorder.ts'
import { type LogRecord, recordBytes, recordKinds } from './segment-format.ts'
import type { SegmentWriter } from './segment-writer.ts'

/** An announced call without a flushed outcome; also the log entry of its announcement. */
export class OpenCall implements Intent, LogEntry {
	readonly record: LogRecord
	readonly bytes: number
	readonly mustFlush = false
	/** True once it is announced: the call then proceeds, so a failed write must not lose it. */
	keep = false
	/** Bytes reserved in the log for its outcome. */
	readonly reservedBytes: number
	/** When it was announced, in ms since 1970. */
	readonly announcedMs: number
	/** Number of the segment that holds its announcement; null until that is flushed. */
	segment: number | null = null
	/** Position of its announcement in that segment. */
	at = 0
	/** Whether its outcome is being written. */
	finishing = false
	slot = -1
	readonly #listener: AnnounceListener
	readonly #onRefused: (call: OpenCall, listener: AnnounceListener) => void

	constructor(
		record: LogRecord,
		announcedMs: number,
		listener: AnnounceListener,
		onRefused: (call: OpenCall, listener: AnnounceListener) => void,
	) {
		this.record = record
		this.announcedMs = announcedMs
		this.bytes = recordBytes(record)
		// An outcome may be larger than its announcement: it adds error text, usage and attributes.
		this.reservedBytes = 4096 + 2 * record.bytes.length
		this.#listener = listener
		this.#onRefused = onRefused
	}

	get id(): string {
		return this.record.key
	}

	get workspaceId(): string {
		return this.record.workspaceId
	}

	onWritten(): void {
		// After a failed write it is written again.
		if (this.keep) return
		this.keep = true
		this.#listener.onAnnounced(this)
	}

	onFlushed({ header }: LogSegment): void {
		this.segment = header.number
	}

	onFailed(): void {
		if (!this.keep) this.#onRefused(this, this.#listener)
	}
}

export class OpenCalls extends Slots<OpenCall> {}

/** Creates ids of calls: 32 hex digits, unique without a request for randomness for each id. */
export function createCallIds(): () => string {
	const prefix = randomBytes(10).toString('hex')
	let count = 0
	return () => prefix + (++count).toString(16).padStart(12, '0')
}

/** The outcome of a call whose process died: its announcement recorded as an outcome, so that no later start repeats it. */
export function interruptedEntry(
	intent: LogRecord,
	onFlushed: (entry: LogEntry, segment: LogSegment) => void,
): LogEntry {
	const entry: LogEntry = newLogEntry(
		{ ...intent, kind: recordKinds.outcome },
		{ mustFlush: true, keep: false, onFlushed: (segment) => onFlushed(entry, segment) },
	)
	return entry
}

/** Whether a call that was announced before a time and is still open names a subject; its outcome will name it too. */
export function isUnderWay(calls: OpenCalls, subject: LogSubject): boolean {
	const isNamed = namesSubject(subject)
	return [...calls].some(({ announcedMs, record }) => announcedMs < subject.beforeMs && isNamed(record))
}

/** Announcements to copy forward because their segment is to be deleted; null when one of them is about to be settled. */
export function callsIn(calls: OpenCalls, segment: number): OpenCall[] | null {
	const here = [...calls].filter((call) => call.segment === segment)
	return here.some((call) => call.finishing) ? null : here
}

const mebibytes = (bytes: number) => Math.floor(bytes / 1024 ** 2)

/**
 * The log's size limit. Announcements and appends stop while the reserve is still free, so that outcomes, for which room is
 * reserved at the announcement, and the log's own notes always fit.
 */
export interface RoomOptions {
	maxBytes: number
	reserveBytes: number
	/** Maximum size of records in memory that are not flushed yet: the limit when the disk is slow. */
	maxUnflushedBytes: number
	segments: ReadonlyMap<number, Pick<LogSegment, 'end'>>
	manifest: Pick<Manifest, 'bytes'>
	quarantine: Pick<Quarantine, 'bytes'>
	writer: Pick<SegmentWriter, 'unflushedBytes' | 'freeBytes'>
}

export class Room {
	readonly #options: RoomOptions
	/** Reserved for outcomes of open calls. */
	reservedBytes = 0

	constructor(options: RoomOptions) {
		this.#options = options
	}

	get maxBytes(): number {
		return this.#options.maxBytes
	}

	usedBytes(): number {
		const { segments, manifest, quarantine } = this.#options
		let bytes = manifest.bytes + quarantine.bytes
		for (const { end } of segments.values()) bytes += end
		return bytes
	}

	/** Why `bytes` more cannot be accepted, or null if they can. */
	refusal(bytes: number): string | null {
		const { maxBytes, reserveBytes, maxUnflushedBytes, writer } = this.#options
		const wanted = bytes + this.reservedBytes + reserveBytes
		if (this.usedBytes() + wanted > maxBytes)
			return 'The telemetry log is full; the telemetry store does not keep up.'
		if (wanted > writer.freeBytes)
			return `The disk of the data directory is full: ${mebibytes(writer.freeBytes)} MiB are left, and ${mebibytes(reserveBytes)} MiB are kept for the outcomes of running calls. To free it, ${freesDisk}.`
		if (writer.unflushedBytes + bytes > maxUnflushedBytes) return 'The disk of the telemetry log is too slow.'
		return null
	}
}
