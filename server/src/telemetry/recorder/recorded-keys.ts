import type { Clock } from '../../platform/clock.ts'
import { type LogEntry, newLogEntry } from './log-entry.ts'
import { recordKinds } from './segment-format.ts'

/** A key under which rows were recorded, and when, in ms since 1970. */
export interface RecordedKey {
	key: string
	atMs: number
	/** Number of the segment that holds the key. */
	segment: number
}

/** What is known of a key. */
export interface Known {
	recorded: Promise<void>
	atMs: number
	/** Number of the segment that holds the key; null until the record is flushed. */
	segment: number | null
}

export const keptMs = 15 * 60 * 1000
/** Upper bound, independent of the log's size. */
export const maxKeys = 100_000
const keyBytes = 16
const entryBytes = keyBytes + 6

/**
 * The keys of rows recorded in the last 15 minutes. An exporter's retry is acknowledged again but not recorded again. Each key is in
 * the record of its rows and is copied forward when its segment is deleted, so a retry is also recognised after a crash.
 */
export class RecordedKeys {
	readonly #clock: Clock
	readonly #maxKept: number
	readonly #known = new Map<string, Known>()

	/** All keys together stay far smaller than a segment, so that copying them forward never fills one. */
	constructor(clock: Clock, segmentBytes: number, replayed: readonly RecordedKey[]) {
		this.#clock = clock
		this.#maxKept = Math.min(maxKeys, Math.floor(segmentBytes / 8 / entryBytes))
		for (const { key, atMs, segment } of replayed)
			this.#known.set(key, { recorded: Promise.resolve(), atMs, segment })
		this.#forget()
	}

	/**
	 * Runs `record`, which notes the segment, and resolves true; or resolves false if rows under this key are on disk already. If
	 * `record` rejects, so do concurrent callers with the same key.
	 */
	async once(key: string, record: (known: Known) => Promise<void>): Promise<boolean> {
		this.#forget()
		const known = this.#known.get(key)
		if (known) {
			await known.recorded
			return false
		}
		const entry: Known = { recorded: Promise.resolve(), atMs: this.#clock.nowMs(), segment: null }
		entry.recorded = record(entry)
		this.#known.set(key, entry)
		try {
			await entry.recorded
			return true
		} catch (error) {
			this.#known.delete(key)
			throw error
		}
	}

	/** Whether rows under this key are recorded, or are being recorded. */
	has(key: string): boolean {
		this.#forget()
		return this.#known.has(key)
	}

	all(): string[] {
		this.#forget()
		return [...this.#known.keys()]
	}

	/** Keys that would be lost with a deleted segment, as a record for the current segment; null if there are none. */
	carryFrom(segment: number, done: () => void, failed: (error: Error) => void): LogEntry | null {
		this.#forget()
		const here = [...this.#known].filter(([, known]) => known.segment === segment)
		if (here.length === 0) return null
		return newLogEntry(toRecord(here), {
			mustFlush: true,
			keep: false,
			onFlushed: ({ header }) => {
				for (const [, known] of here) known.segment = header.number
				done()
			},
			onFailed: (reason) => failed(new Error(reason)),
		})
	}

	/** Drops expired keys, oldest first. */
	#forget(): void {
		const oldestMs = this.#clock.nowMs() - keptMs
		for (const [key, { atMs }] of this.#known) {
			if (atMs > oldestMs && this.#known.size < this.#maxKept) return
			this.#known.delete(key)
		}
	}
}

function toRecord(known: readonly [key: string, Known][]) {
	const bytes = Buffer.allocUnsafe(known.length * entryBytes)
	known.forEach(([key, { atMs }], index) => {
		bytes.write(key, index * entryBytes, keyBytes, 'hex')
		bytes.writeUIntLE(atMs, index * entryBytes + keyBytes, 6)
	})
	return {
		kind: recordKinds.keys,
		rowFormat: 0,
		key: '0'.repeat(2 * keyBytes),
		workspaceId: '',
		count: 0,
		bytes,
	}
}

/** The keys of a record that `carryFrom` made. */
export function decodeKeys(record: Uint8Array): Omit<RecordedKey, 'segment'>[] {
	const bytes = Buffer.from(record.buffer, record.byteOffset, record.length)
	return Array.from({ length: Math.floor(bytes.length / entryBytes) }, (_, index) => {
		const at = index * entryBytes
		return {
			key: bytes.toString('hex', at, at + keyBytes),
			atMs: bytes.readUIntLE(at + keyBytes, 6),
		}
	})
}
