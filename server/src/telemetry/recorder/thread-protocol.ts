/** One tick's records for one segment. The thread answers `written` (if wanted) and, after the next flush, `flushed`. */
export interface Submission {
	type: 'submission'
	seq: number
	/** Grows with every reopening after a failure; what belongs to a failed epoch is not written any more. */
	epoch: number
	/** Present when a new segment starts with these records: flush and close the one before, make the file. */
	open: { number: number; header: Uint8Array; lastEndsAt: number | null } | null
	/** Number of the segment, and the place of the run in it. */
	number: number
	at: number
	run: Uint8Array
	wantsWritten: boolean
	flush: boolean
	/** How far to prepare the file for the writes of the recording thread; 0: not at all. */
	prepareTo: number
}

/** Work on other files of the log, done between flushes. */
export type Job =
	| { name: 'append-manifest'; bytes: Uint8Array; flush: boolean }
	| { name: 'replace-manifest'; bytes: Uint8Array }
	| { name: 'remove-segments'; numbers: number[] }
	| { name: 'quarantine'; file: string; bytes: Uint8Array }
	| { name: 'quarantine-segment'; number: number }
	| { name: 'sync-segment'; number: number }
	/** Cuts off what is prepared and will not be used. */
	| { name: 'trim-segment'; end: number }
	| { name: 'measure-space' }
	| { name: 'close' }

export type ToThread =
	| Submission
	/** The recording thread could not write: its segment is given up. */
	| { type: 'abandon'; epoch: number }
	| { type: 'job'; id: number; job: Job }

export type FromThread =
	| { type: 'written'; seq: number }
	| { type: 'flushed'; seq: number; flushMs: number }
	/** After the submission `seq`: its segment is filled with zeros up to `end`. */
	| { type: 'prepared'; seq: number; number: number; fd: number; end: number }
	| { type: 'space'; freeBytes: number }
	| { type: 'failed'; epoch: number; message: string }
	| { type: 'job-done'; id: number; error: string | null }

export interface LogPlace {
	directory: string
	/** A module that exports `createFiles(directory)` (FileCalls), for tests of failing disks. */
	filesModule: string | null
}

export interface ThreadData extends LogPlace {
	/** Of the `FlushSignal`. */
	signalMemory: SharedArrayBuffer
}
