import type { ArrivedSpans } from '../blocks/arrived-spans.ts'
import type { SpanRow } from '../span-row.ts'
import type { FactsKind } from './call-facts.ts'
import type { MakeRows } from './row-making.ts'

/** Rows that were acknowledged and that the store may not have yet, for one query. */
export interface NewestRows {
	files: readonly NewestFile[]
	/** What holds of the rows that the store has and `files` have not: a condition on the table's `stored_at`; '' for all. */
	ofStored: string
	/** To be called once the query is answered. */
	release(): void
}

export interface NewestFile {
	/** Absolute. */
	path: string
	format: 'Native' | 'RowBinary'
	/** The columns and their types, as the engine's `file` takes them. */
	structure: string
	columns: readonly string[]
}

/**
 * `none`: the store has all of them. `unknown`: which it has cannot be said now, since an earlier life of the program began to store them,
 * or there are too many to be read for a query.
 */
export type NewestAnswer = NewestRows | 'none' | 'unknown'

/** Rows in the binary form of their table (ClickHouse RowBinary). */
export interface EncodedRows {
	workspaceId: string
	/** Which table, and which columns: see `row-formats.ts`. Spans when absent. */
	rowFormat?: number
	count: number
	bytes: Buffer
	/** 32 hex digits: while rows under this key are known (15 minutes, also over a crash) they are not recorded again. */
	key?: string
	/** The same rows as objects, if the caller has them: they are passed on to the live tail. */
	spans?: readonly SpanRow[]
}

/** Notified once what became of an announcement. */
export interface AnnounceListener {
	onAnnounced(intent: Intent): void
	onRefused(error: unknown): void
}

/** Notified once whether the end of a call is on disk. */
export interface ConcludeListener {
	onRecorded(): void
	onUnrecorded(error: unknown): void
}

/**
 * Calls that leave in the log what they carried, of which rows are made later: once each, in the order in which they ended, and
 * after a crash too.
 */
export interface CallLog {
	/**
	 * Announces a call before it goes upstream, with what it carries by then: sealed in the log. A call without an end is recorded as
	 * interrupted. Resolves when the log has it (unflushed: it survives kill -9); reserves room for the end. Throws Problem
	 * `recorder_full` when there is no room: nothing may happen then.
	 */
	announce(kind: FactsKind, workspaceId: string, facts: Uint8Array): Promise<Intent>
	/**
	 * Records the end of a call; resolves once flushed. Never refuses for lack of room. Throws Problem `store_unavailable` when the disk
	 * failed; the end is then written when the disk works again.
	 */
	conclude(intent: Intent, facts: Uint8Array): Promise<void>
	/** `announce` without a promise, for calls that come by the thousand. The listener must not throw. */
	announceTo(listener: AnnounceListener, kind: FactsKind, workspaceId: string, facts: Uint8Array): void
	concludeTo(listener: ConcludeListener, intent: Intent, facts: Uint8Array): void
	/** Whether a call goes on though `concludeTo` failed with this error. */
	servesUnrecorded(workspaceId: string, error: unknown): boolean
}

/** An announced call whose outcome is still open; its room in the log is reserved. */
export interface Intent {
	readonly id: string
	readonly workspaceId: string
}

export interface RecorderStats {
	/** Rows that were acknowledged since the log's first start. */
	acknowledgedRows: number
	/** Of these: in ClickHouse, still in the log, quarantined. */
	storedRows: number
	pendingRows: number
	quarantinedRows: number
	/** Records that failed their checksum when they were read back. */
	damagedRecords: number
	/** Acknowledged rows that were in them: acknowledged = stored + pending + quarantined + damaged. */
	damagedRows: number
	/** Announced calls without an outcome, and those of which there are no rows yet. */
	openCalls: number
	walBytes: number
	walMaxBytes: number
	/** Age of the oldest row that is not in ClickHouse yet, in ms. */
	oldestPendingMs: number
	lastFlushMs: number
	/** Why the log takes no records now (the disk); null while it does. */
	writeFailure: string | null
	/** Why the log refuses records though it can be written (its limit, room on the disk); null while it takes them. */
	refusal: string | null
	/** Why the store did not take the last batch; null when it did. */
	shipFailure: string | null
}

/** The files of a log directory as of one moment; a recorder can be opened on a copy of them. */
export interface LogSnapshot {
	/** Acknowledged rows that the store does not have yet. */
	pendingRows: number
	files: readonly LogFile[]
}

export interface LogFile {
	/** Its path inside the log's directory. */
	path: string
	read(): AsyncIterable<Uint8Array>
}

/**
 * The way into telemetry for everything. What a promise of this interface resolves for is on disk: a crash neither
 * loses nor doubles it.
 */
export interface Recorder {
	/**
	 * Records rows; resolves once flushed: false when rows under the same key were there already. Throws Problem
	 * `recorder_full` or `store_unavailable`, then nothing was recorded.
	 */
	append(rows: EncodedRows): Promise<boolean>
	/** Whether rows under a key are known to be recorded. */
	knows(key: string): boolean
	/** All such keys. */
	recordedKeys(): string[]
	/**
	 * Every row as it is recorded (calls: at the outcome), for the live tail. Returns a stop function. `wants`: rows that nobody has as
	 * objects are decoded only for these workspaces.
	 */
	onRecorded(
		listener: (rows: readonly SpanRow[]) => void,
		wants?: (workspaceId: string) => boolean,
	): () => void
	stats(): RecorderStats
	/** Told, without what, whenever rows of this process have come into the store. Returns a stop function. */
	onStored(listener: () => void): () => void
	/**
	 * What the one insert of this process has brought that stored so many spans at a time (`stored_at`, in ms). Null where that is not known: of
	 * other processes and earlier lives, before anybody asked, and the second time.
	 */
	takeArrived(storedMs: number, rows: number): readonly ArrivedSpans[] | null
	/**
	 * Rows of a table (`spans`, `logs`, `metrics`) that this process recorded and the store may not have yet. For a query about
	 * these traces alone (32 hex digits each) others may be left out.
	 */
	newest(table: string, workspaceId: string, traces?: readonly string[]): Promise<NewestAnswer>
	/** Somebody looks for what was recorded: rows that wait in this process go to the store without delay. Waits for nothing. */
	hurry(): void
	/**
	 * Runs `work` while nothing moves from the log to the store, which both go on otherwise: what the store has then and
	 * what the snapshot's files hold are together everything that was acknowledged before, each row once. Keep it short.
	 */
	snapshot<T>(work: (log: LogSnapshot) => Promise<T>): Promise<T>
	/** Flushes, ships what it can within `graceMs`, closes. */
	close(graceMs: number): Promise<void>
}

/** Whose rows are to leave the log. */
export interface LogSubject {
	workspaceId: string
	/** The session or the person, as rows name them. */
	value: string
	/** What was announced from then on stays (ms since 1970). */
	beforeMs: number
}

/** The log of one process itself, beneath whatever wraps its recorder. */
export interface LogRecorder extends Recorder, CallLog {
	/** From now on rows are made of calls by this. */
	makeRows(make: MakeRows): void
	/** Resolves when there are rows of every call that has ended by now. */
	rowsMade(): Promise<void>

	/**
	 * Ends the current segment and waits until it and all before it are gone: what they held is in the store. False when
	 * they are not within `waitMs`.
	 */
	shed(waitMs: number): Promise<boolean>
	/**
	 * Sheds what the log holds, and what was quarantined of a subject. False when that must be tried again: a call that names
	 * the subject is under way, or the store does not take the rows.
	 */
	shedSubject(subject: LogSubject, waitMs: number): Promise<boolean>
}
