import type { DatabaseTransaction } from '../database/index.ts'

/** Background work that survives restarts and is done by one process at a time. */
export interface Jobs {
	/** Registers a kind; call before `start`. */
	handle(kind: string, handler: JobHandler, options?: JobOptions): void
	/** A job that runs for ever at an interval with jitter; kept in the store, so that one node runs it. */
	every(kind: string, intervalMs: number, handler: JobHandler): void
	/** In the caller's transaction. The same (kind, key) is one job: it gets the new payload and the earlier time. */
	enqueue(tx: DatabaseTransaction, job: NewJob): Promise<void>
	/** Forgets a job; a run of it that is under way commits nothing any more. */
	cancel(tx: DatabaseTransaction, kind: string, key: string): Promise<void>
	start(): void
	/** Ends the signals of what runs, and waits for the handlers. */
	close(): Promise<void>
}

export type JobHandler = (job: RunningJob) => Promise<void>

export interface JobOptions {
	/** How long a holder may be silent before another one takes over; 30 s by default. */
	leaseMs?: number
	/** Runs of this kind at the same time in this process; 4 by default. */
	concurrency?: number
	/** Milliseconds until the attempt after this one (from 1); null gives up. Exponential with jitter by default, for ever. */
	retry?: (attempt: number) => number | null
}

export interface NewJob {
	kind: string
	key: string
	workspaceId: string | null
	/** Anything that JSON holds. */
	payload?: unknown
	/** At once by default. */
	runAtMs?: number
}

/**
 * One run of a job. It may run more than once: only what `commit` did together with `finish` or `again` is certain to have
 * happened once, since a process may be killed after a commit and before it could note that the run ended.
 */
export interface RunningJob {
	id: string
	kind: string
	key: string
	workspaceId: string | null
	payload: unknown
	/** From 1; back at 1 after a success. */
	attempt: number
	/** Grows with every run. */
	fence: number
	/** Ends when the lease is lost or the program stops. */
	signal: AbortSignal
	/** One transaction that commits only while this run's lease is the newest; rejects with `LeaseLost` otherwise. */
	commit<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T>
	/** Ends this run as a success in a transaction of `commit`, and sets when the job runs next; nothing is committed after it. */
	again(tx: DatabaseTransaction, atMs: number): Promise<void>
	/** Ends this run as a success, and the job, in a transaction of `commit`; nothing is committed after it. */
	finish(tx: DatabaseTransaction): Promise<void>
}

/** Another holder has the job by now, or it was cancelled. */
export class LeaseLost extends Error {
	constructor(kind: string, key: string) {
		super(`The lease of the job ${kind}/${key} is lost.`)
	}
}
