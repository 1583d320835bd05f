import type { SpanRow } from '../span-row.ts'

/** Rows in the binary form of the `spans` table (ClickHouse RowBinary, columns of `span-columns.ts`). */
export interface EncodedRows {
	workspaceId: string
	count: number
	bytes: Buffer
}

/** An announced call whose outcome is still open; its room in the log is reserved. */
export interface Intent {
	readonly id: string
}

export interface RecorderStats {
	/** Rows that were acknowledged since the log's first start. */
	acknowledgedRows: number
	/** Of these: in ClickHouse, still in the log, set aside as poison. */
	storedRows: number
	pendingRows: number
	quarantinedRows: number
	/** Records that failed their checksum at replay. */
	damagedRecords: number
	walBytes: number
	walMaxBytes: number
	/** Age of the oldest row that is not in ClickHouse yet, in ms. */
	oldestPendingMs: number
	lastFlushMs: number
}

/**
 * The way into telemetry for everything. What a promise of this interface resolves for is on disk: a crash neither
 * loses nor doubles it.
 */
export interface Recorder {
	/**
	 * Announces a call before it goes upstream. `interrupted` is the row that stands when no outcome follows (status
	 * `interrupted`). Resolves when the log has it (unflushed: it survives kill -9); reserves room for the outcome.
	 * Throws Problem `recorder_full` when there is no room: nothing may happen then.
	 */
	begin(interrupted: SpanRow): Promise<Intent>
	/** Records a call's outcome in place of its announcement; resolves once flushed. Never refuses for lack of room. */
	finish(intent: Intent, outcome: SpanRow): Promise<void>
	/** Records rows; resolves once flushed. Throws Problem `recorder_full`, then nothing was recorded. */
	append(rows: EncodedRows): Promise<void>
	/** Every row as it is recorded (calls: at the outcome), for the live tail. Returns a stop function. */
	onRecorded(listener: (rows: readonly SpanRow[]) => void): () => void
	stats(): RecorderStats
	/** Flushes, ships what it can within `graceMs`, closes. */
	close(graceMs: number): Promise<void>
}
