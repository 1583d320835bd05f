/** One tick's records for one segment. The thread answers `written` (if wanted) and, after the next flush, `flushed`. */
export interface Submission {
	type: 'submission'
	seq: number
	/** Grows with every reopening after a failure; what belongs to a failed epoch is not written any more. */
	epoch: number
	/** Present when a new segment starts with these records: flush and close the one before, make the file. */
	open: { number: number; header: Uint8Array } | null
	run: Uint8Array
	wantsWritten: boolean
	flush: boolean
}

/** Work on other files of the log, done between flushes. */
export type Job =
	| { name: 'append-manifest'; bytes: Uint8Array; flush: boolean }
	| { name: 'replace-manifest'; bytes: Uint8Array }
	| { name: 'remove-segments'; numbers: number[] }
	| { name: 'quarantine'; file: string; bytes: Uint8Array }
	| { name: 'quarantine-segment'; number: number }
	| { name: 'sync-segment'; number: number }
	| { name: 'measure-space' }
	| { name: 'close' }

export type ToThread = Submission | { type: 'job'; id: number; job: Job }

export type FromThread =
	| { type: 'written'; seq: number }
	| { type: 'flushed'; seq: number; flushMs: number }
	| { type: 'space'; freeBytes: number }
	| { type: 'failed'; epoch: number; message: string }
	| { type: 'job-done'; id: number; error: string | null }

export interface ThreadData {
	directory: string
	/** A module that exports `files` (FileCalls), for tests of failing disks. */
	filesModule: string | null
}
