import type { ArrivedSpans } from '../blocks/arrived-spans.ts'
import type { SpanRow } from '../span-row.ts'
import type { MakeRows } from './row-making.ts'
import type { FactsKind } from './segment-format.ts'

/** For one query: acknowledged rows that the store may not have yet. */
export interface NewestRows {
	files: readonly NewestFile[]
	/** A condition on the table's `stored_at` that selects the stored rows that are not in `files`; '' for all. */
	ofStored: string
	/** Call it once the query is answered. */
	release(): void
}

export interface NewestFile {
	/** Absolute path. */
	path: string
	format: 'Native' | 'RowBinary'
	/** Columns and types, as the engine's `file` function expects them. */
	structure: string
	columns: readonly string[]
}

/**
 * `none`: the store has all rows. `unknown`: it is not known which rows the store has, because an earlier run of the program began
 * to store them, or because there are too many to read for a query.
 */
export type NewestAnswer = NewestRows | 'none' | 'unknown'

/** Rows in the binary form of their format: blocks of columns for spans, otherwise ClickHouse RowBinary. */
export interface EncodedRows {
	workspaceId: string
	/** Names the table and columns (`row-formats.ts`). Default: spans. */
	rowFormat?: number
	count: number
	bytes: Buffer
	/** 32 hex digits. Rows under a known key are not recorded again. Keys are known for 15 minutes, also after a crash. */
	key?: string
	/** The same rows as objects, if the caller has them, for the live tail. */
	spans?: readonly SpanRow[]
}

/** Called once with the outcome of an announcement. */
export interface AnnounceListener {
	onAnnounced(intent: Intent): void
	onRefused(error: unknown): void
}

/** Called once when the end of a call is on disk, or could not be written. */
export interface ConcludeListener {
	onRecorded(): void
	onUnrecorded(error: unknown): void
}

/**
 * Calls write facts to the log. Rows are built from them later, once for each call, in the order in which calls ended, also after a
 * crash.
 */
export interface CallLog {
	/**
	 * Announces a call before it is sent upstream. Its facts are encrypted in the log. A call without an end is recorded as interrupted.
	 * Resolves when the log has the facts (not flushed: they survive kill -9), and reserves room for the end. Throws Problem
	 * `recorder_full` if there is no room; the call must then not be sent.
	 */
	announce(kind: FactsKind, workspaceId: string, facts: Uint8Array): Promise<Intent>
	/**
	 * Records the end of a call; resolves once it is flushed. Never refuses for lack of room. Throws Problem `store_unavailable` if the
	 * disk failed; the end is then written when the disk works again.
	 */
	conclude(intent: Intent, facts: Uint8Array): Promise<void>
	/** `announce` with a listener instead of a promise, for the hot path. The listener must not throw. */
	announceTo(listener: AnnounceListener, kind: FactsKind, workspaceId: string, facts: Uint8Array): void
	concludeTo(listener: ConcludeListener, intent: Intent, facts: Uint8Array): void
	/** Whether a call is answered even though `concludeTo` failed with this error. */
	servesUnrecorded(workspaceId: string, error: unknown): boolean
}

/** An announced call without an outcome; room in the log is reserved for it. */
export interface Intent {
	readonly id: string
	readonly workspaceId: string
}

export interface RecorderStats {
	/** Rows that were acknowledged since the log's first start. */
	acknowledgedRows: number
	/** Of these, rows in ClickHouse, rows still in the log, and quarantined rows. */
	storedRows: number
	pendingRows: number
	quarantinedRows: number
	/** Records whose checksum failed when they were read back. */
	damagedRecords: number
	/** Acknowledged rows in damaged records: acknowledged = stored + pending + quarantined + damaged. */
	damagedRows: number
	/** Announced calls without an outcome, and ended calls without rows. */
	openCalls: number
	walBytes: number
	walMaxBytes: number
	/** Age of the oldest row that is not in ClickHouse yet, in ms. */
	oldestPendingMs: number
	lastFlushMs: number
	/** Why the disk accepts no records now; null while it does. */
	writeFailure: string | null
	/** Why the log refuses records although the disk works (its size limit, or free space); null while it accepts them. */
	refusal: string | null
	/** Why the store did not take the last batch; null when it did. */
	shipFailure: string | null
}

/** A consistent snapshot of a log directory; a recorder can be opened on a copy of it. */
export interface LogSnapshot {
	/** Acknowledged rows that the store does not have yet. */
	pendingRows: number
	files: readonly LogFile[]
}

export interface LogFile {
	/** Path inside the log's directory. */
	path: string
	read(): AsyncIterable<Uint8Array>
}

/**
 * The single way into telemetry. When a promise of this interface resolves, the record is on disk: a crash neither loses nor
 * duplicates it.
 */
export interface Recorder {
	/**
	 * Records rows; resolves once they are flushed, with false if rows under the same key were recorded before. Throws Problem
	 * `recorder_full` or `store_unavailable`; nothing was recorded then.
	 */
	append(rows: EncodedRows): Promise<boolean>
	/** Whether rows under a key are known to be recorded. */
	knows(key: string): boolean
	/** All such keys. */
	recordedKeys(): string[]
	/**
	 * Calls back with every row as it is recorded (for calls: at their outcome), for the live tail. Returns a stop function. Rows that
	 * are not available as objects are decoded only for workspaces that `wants` names.
	 */
	onRecorded(
		listener: (rows: readonly SpanRow[]) => void,
		wants?: (workspaceId: string) => boolean,
	): () => void
	stats(): RecorderStats
	/** Calls back, without details, whenever rows of this process have been stored. Returns a stop function. */
	onStored(listener: () => void): () => void
	/**
	 * What this process's insert with this `stored_at` (ms) and number of spans brought. Null if that is not known: inserts of other
	 * processes or earlier runs, inserts before the first call, and the second call for the same insert.
	 */
	takeArrived(storedMs: number, rows: number): readonly ArrivedSpans[] | null
	/**
	 * Rows of a table (`spans`, `logs`, `metrics`) that this process recorded and the store may not have yet. For a query about certain
	 * traces (32 hex digits each), other rows may be left out.
	 */
	newest(table: string, workspaceId: string, traces?: readonly string[]): Promise<NewestAnswer>
	/** Sends waiting rows of this process to the store without delay, because a reader asks for them. Returns at once. */
	storeSoon(): void
	/**
	 * Notes that somebody reads figures: for half a minute a stream is stored more often. If rows have waited because nobody was
	 * reading, resolves with true once the store has them, or after a second.
	 */
	watched(): Promise<boolean>
	/**
	 * Runs `work` while nothing moves from the log to the store. The store and the snapshot's files together then contain every row
	 * acknowledged before, each once. Log and store accept writes meanwhile. Keep `work` short.
	 */
	snapshot<T>(work: (log: LogSnapshot) => Promise<T>): Promise<T>
	/** Flushes, ships what it can within `graceMs`, and closes. */
	close(graceMs: number): Promise<void>
}

/** A session or person whose rows must leave the log. */
export interface LogSubject {
	workspaceId: string
	/** The session or person, as named in rows. */
	value: string
	/** Announcements made after this time (ms since 1970) are kept. */
	beforeMs: number
}

/** The log of one process; other recorders wrap it. */
export interface LogRecorder extends Recorder, CallLog {
	/** Starts building the rows of calls with this function. */
	makeRows(make: MakeRows): void
	/** Resolves when every call that has ended by now has its rows. */
	whenRowsMade(): Promise<void>

	/**
	 * Ends the current segment and waits until it and all earlier ones are deleted, so that their rows are in the store. False if that
	 * takes longer than `waitMs`.
	 */
	shed(waitMs: number): Promise<boolean>
	/**
	 * Ships the whole log to the store and removes quarantined records of a subject. False if it must be tried again, because a
	 * running call names the subject or the store does not take the rows.
	 */
	shedSubject(subject: LogSubject, waitMs: number): Promise<boolean>
}
