import type { DatabaseTransaction } from '../database/database.ts'

/** Background jobs that survive restarts; each is run by one process at a time. */
export interface Jobs {
	/** Registers a kind; call before `start`. */
	handle(kind: string, handler: JobHandler, options?: JobOptions): void
	/** A job that recurs forever at an interval with jitter. It is kept in the store, so that only one node runs it. */
	every(kind: string, intervalMs: number, handler: JobHandler): void
	/**
	 * The same in each program, whatever the others do: for what belongs to this program alone, such as its embedded engine.
	 */
	everyHere(kind: string, intervalMs: number, handler: LocalHandler): void
	/**
	 * Runs in the caller's transaction. Jobs are unique by (kind, key): an existing one gets the new payload and the earlier time.
	 */
	enqueue(tx: DatabaseTransaction, job: NewJob): Promise<void>
	/**
	 * Runs work of a request under the lease of a job, unless another process or request has it: then null. It is not run again after a
	 * kill.
	 */
	alone<T extends object>(
		job: Pick<NewJob, 'kind' | 'key' | 'workspaceId'>,
		work: (signal: AbortSignal) => Promise<T>,
	): Promise<T | null>
	/** Deletes a job; its current run can no longer commit. */
	cancel(tx: DatabaseTransaction, kind: string, key: string): Promise<void>
	start(): void
	/** Aborts the signals of running jobs and waits for their handlers. */
	close(): Promise<void>
}

export type JobHandler = (job: RunningJob) => Promise<void>

export type LocalHandler = (job: Pick<RunningJob, 'signal'>) => Promise<void>

export interface JobOptions {
	/** How long a lease lasts without a heartbeat before another process takes over; 30 s by default. */
	leaseMs?: number
	/** Concurrent runs of this kind in this process; 4 by default. */
	concurrency?: number
	/**
	 * Milliseconds until the next attempt after this one (from 1); null gives up. By default exponential with jitter, without end.
	 */
	retry?: (attempt: number) => number | null
}

export interface NewJob {
	kind: string
	/** The id of the object that it is about, if there is one: its commits and changes of that object run one after the other. */
	key: string
	workspaceId: string | null
	/** Any JSON value. */
	payload?: unknown
	/** Immediately by default. */
	runAtMs?: number
}

/**
 * One run of a job. A job may run more than once, since a process may be killed after a commit and before it records the end of the
 * run. Only work committed together with `finish` or `again` happens exactly once.
 */
export interface RunningJob {
	id: string
	kind: string
	key: string
	workspaceId: string | null
	payload: unknown
	/** Counts from 1; reset to 1 after a success. */
	attempt: number
	/** Fencing token: grows with every run. */
	fence: number
	/** Aborted when the lease is lost or the program stops. */
	signal: AbortSignal
	/** A transaction that commits only while this run's lease is the newest; rejects with `LeaseLost` otherwise. */
	commit<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T>
	/**
	 * Ends this run as a success within a transaction of `commit` and schedules the next one; nothing can be committed afterwards.
	 */
	again(tx: DatabaseTransaction, atMs: number): Promise<void>
	/** Ends this run and the job as a success within a transaction of `commit`; nothing can be committed afterwards. */
	finish(tx: DatabaseTransaction): Promise<void>
}

/** Another holder has the job, or it was cancelled. */
export class LeaseLost extends Error {
	constructor(kind: string, key: string) {
		super(`The lease of the job ${kind}/${key} is lost.`)
	}
}
