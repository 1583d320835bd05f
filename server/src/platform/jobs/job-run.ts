import { afterCommit } from '../after-commit.ts'
import type { Clock } from '../clock.ts'
import type { Database, DatabaseTransaction, Queryable } from '../database/index.ts'
import type { Log } from '../log.ts'
import type { Mutate } from '../mutation.ts'
import { type JobHandler, LeaseLost, type RunningJob } from './job.ts'
import { endJob, extendLease, type JobRow, releaseJob } from './job-repository.ts'

export interface RunContext {
	db: Database
	mutate: Mutate
	clock: Clock
	log: Log
}

/** One run of a claimed job under its lease. */
export class JobRun {
	readonly row: JobRow
	readonly #context: RunContext
	readonly #leaseMs: number
	readonly #ending = new AbortController()
	#heldUntilMs: number
	#beating = false
	#released = false

	constructor(context: RunContext, row: JobRow, leaseMs: number) {
		this.#context = context
		this.row = row
		this.#leaseMs = leaseMs
		this.#heldUntilMs = row.run_at
	}

	/** Whether `again` or `finish` has ended the run. */
	get released(): boolean {
		return this.#released
	}

	async run(handler: JobHandler): Promise<void> {
		const { id, kind, key, workspace_id: workspaceId, payload, attempts: attempt, fence } = this.row
		const job: RunningJob = {
			...{ id, kind, key, workspaceId, attempt, fence },
			payload: JSON.parse(payload),
			signal: this.#ending.signal,
			commit: (work) => this.#commit(work),
			again: (tx, atMs) => this.#again(tx, atMs),
			finish: (tx) => this.#finish(tx),
		}
		await handler(job)
	}

	abort(reason: Error): void {
		this.#ending.abort(reason)
	}

	/** Extends the lease when a third of it has passed; a lost one ends the run's signal. */
	async beat(): Promise<void> {
		const { clock, db, log } = this.#context
		const leftMs = this.#heldUntilMs - clock.nowMs()
		if (this.#beating || this.#ending.signal.aborted || leftMs > (this.#leaseMs * 2) / 3) return
		this.#beating = true
		try {
			await this.#extend(db)
		} catch (error) {
			if (error instanceof LeaseLost) return
			log.warn({ err: error, kind: this.row.kind }, 'jobs: a lease could not be extended')
			if (leftMs <= 0) this.abort(this.#lost())
		} finally {
			this.#beating = false
		}
	}

	async #extend(db: Queryable): Promise<void> {
		const untilMs = this.#context.clock.nowMs() + this.#leaseMs
		if (!this.#released && (await extendLease(db, this.row, untilMs))) {
			this.#heldUntilMs = untilMs
			return
		}
		const lost = this.#lost()
		this.abort(lost)
		throw lost
	}

	#commit<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
		return this.#context.mutate(async (tx) => {
			await this.#extend(tx)
			return work(tx)
		})
	}

	async #again(tx: DatabaseTransaction, atMs: number): Promise<void> {
		await releaseJob(tx, this.row, { run_at: atMs, attempts: 0, last_error: null })
		this.#releaseAfter(tx)
	}

	async #finish(tx: DatabaseTransaction): Promise<void> {
		await endJob(tx, this.row)
		this.#releaseAfter(tx)
	}

	#releaseAfter(tx: DatabaseTransaction): void {
		afterCommit(tx, () => {
			this.#released = true
		})
	}

	#lost(): LeaseLost {
		return new LeaseLost(this.row.kind, this.row.key)
	}
}
