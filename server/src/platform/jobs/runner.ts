import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { inChangeOf } from '../change-scope.ts'
import type { Clock } from '../clock.ts'
import type { Database, DatabaseTransaction, Queryable } from '../database/database.ts'
import { type Log, Repeats } from '../log.ts'
import { afterCommit, type Mutate } from '../mutation.ts'
import { type JobHandler, type JobOptions, LeaseLost, type RunningJob } from './job.ts'
import {
	endJob,
	extendLease,
	type JobRow,
	type JobStatements,
	moveJobsBack,
	takeJob,
} from './job-repository.ts'

const pollMs = 1000
/** A clock that is set back by less delays jobs by no more than that. */
const setBackMs = 10_000
/** Waiting jobs are counted up to this number. */
const maxDue = 10_000

export interface JobKind extends Required<JobOptions> {
	handler: JobHandler
}

/** Claims due jobs, runs them, and records the results. */
export class JobRunner {
	readonly #context: RunContext
	readonly #kinds: ReadonlyMap<string, JobKind>
	/** The name under which this process holds leases. */
	readonly holder = randomUUID()
	readonly #repeats = new Repeats()
	readonly #runs = new Map<JobRun, Promise<void>>()
	/** Jobs run outside of the request that wakes the runner, and outside of its change scope. */
	readonly #outside = AsyncLocalStorage.snapshot()
	#timer: NodeJS.Timeout | null = null
	#heartbeats: NodeJS.Timeout | null = null
	#polling: Promise<void> | null = null
	#again = false
	#closing = false
	#countedMs = 0
	/** Wall clock and monotonic clock at the last check, and since when the wall clock has not been set. */
	#lastCheck: { wallMs: number; steadyMs: number; sinceMs: number } | null = null
	/** Counters for `/metrics`. */
	readonly counts = { due: 0, failed: 0, lost: 0 }

	constructor(context: RunContext, kinds: ReadonlyMap<string, JobKind>) {
		this.#context = context
		this.#kinds = kinds
	}

	get running(): number {
		return this.#runs.size
	}

	start(): void {
		const shortestMs = Math.min(30_000, ...[...this.#kinds.values()].map(({ leaseMs }) => leaseMs))
		this.#heartbeats = setInterval(() => this.#heartbeat(), Math.max(20, shortestMs / 6)).unref()
		this.wake()
	}

	async close(): Promise<void> {
		this.#closing = true
		if (this.#timer) clearTimeout(this.#timer)
		for (const run of this.#runs.keys()) run.abort(new Error('The program is stopping.'))
		await this.#polling
		await Promise.all(this.#runs.values())
		if (this.#heartbeats) clearInterval(this.#heartbeats)
	}

	/** Runs work under the lease of a job that this process claims here; null if another holder has it. */
	async alone<T>(job: JobRow, leaseMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
		const { db, clock, log } = this.#context
		const nowMs = clock.nowMs()
		const claim = { lease_holder: this.holder, run_at: nowMs + leaseMs, fence: 1, attempts: 1 }
		const row = await takeJob(db, { ...job, ...claim }, nowMs)
		if (!row) return null
		const run = new JobRun(this.#context, row, leaseMs)
		if (this.#closing) run.abort(new Error('The program is stopping.'))
		const working = work(run.signal)
		const end = () => endJob(db, row)
		const ending = working
			.then(end, end)
			.catch((error: unknown) => log.warn({ err: error, kind: row.kind }, 'jobs: a lease was not given back'))
			.finally(() => this.#runs.delete(run))
		this.#runs.set(run, ending)
		await ending
		return working
	}

	/** Checks for due jobs now. */
	wake(): void {
		if (!this.#heartbeats || this.#closing) return
		this.#again = true
		this.#polling ??= this.#outside(() => this.#poll()).finally(() => {
			this.#polling = null
		})
	}

	async #poll(): Promise<void> {
		if (this.#timer) clearTimeout(this.#timer)
		let waitMs = pollMs
		while (this.#again && !this.#closing) {
			this.#again = false
			waitMs = await this.#claimDue().catch((error: unknown) => {
				if (this.#repeats.take('failed') > 0)
					this.#context.log.warn({ err: error }, 'jobs: cannot look for due jobs')
				return pollMs
			})
		}
		if (!this.#closing) this.#timer = setTimeout(() => this.wake(), waitMs).unref()
	}

	/** Returns the milliseconds until the next check. If nothing is due, the only cost was one read of an index. */
	async #claimDue(): Promise<number> {
		const { clock, statements } = this.#context
		await this.#followClock()
		const firstMs = await statements.firstRunAt()
		const untilFirstMs = firstMs === null ? pollMs : firstMs - clock.nowMs()
		if (untilFirstMs > 0) {
			this.counts.due = 0
			return Math.min(pollMs, untilFirstMs)
		}
		for (const name of await statements.dueKinds(clock.nowMs())) {
			const kind = this.#kinds.get(name)
			if (kind) await this.#claim(name, kind)
		}
		await this.#countDue()
		return pollMs
	}

	/** If the clock was set back, jobs scheduled by it move earlier by the same amount. */
	async #followClock(): Promise<void> {
		const { db, clock, log } = this.#context
		const wallMs = clock.nowMs()
		const steadyMs = performance.now()
		const before = this.#lastCheck
		const setMs = before === null ? 0 : wallMs - before.wallMs - (steadyMs - before.steadyMs)
		const wasSet = before === null || Math.abs(setMs) > setBackMs
		this.#lastCheck = { wallMs, steadyMs, sinceMs: wasSet ? wallMs : before.sinceMs }
		if (before === null || setMs > -setBackMs) return
		const jobs = await moveJobsBack(db, before.sinceMs, Math.round(-setMs))
		log.warn(
			{ set_back_ms: Math.round(-setMs), jobs },
			'jobs: the clock was set back; what it had planned comes earlier',
		)
	}

	async #countDue(): Promise<void> {
		const { clock, statements } = this.#context
		if (Math.abs(clock.nowMs() - this.#countedMs) < pollMs) return
		this.#countedMs = clock.nowMs()
		this.counts.due = await statements.countDue(this.#countedMs, maxDue)
	}

	async #claim(name: string, kind: JobKind): Promise<void> {
		const limit = kind.concurrency - this.#runningOf(name)
		if (limit <= 0 || this.#closing) return
		const nowMs = this.#context.clock.nowMs()
		const claim = { kind: name, holder: this.holder, nowMs, leaseUntilMs: nowMs + kind.leaseMs, limit }
		for (const row of await this.#context.statements.claim(claim)) this.#begin(row, kind)
	}

	#runningOf(kind: string): number {
		return [...this.#runs.keys()].filter(({ row }) => row.kind === kind).length
	}

	#begin(row: JobRow, kind: JobKind): void {
		const run = new JobRun(this.#context, row, kind.leaseMs)
		if (this.#closing) run.abort(new Error('The program is stopping.'))
		const ending = this.#carryOut(run, kind)
			.catch((error: unknown) =>
				this.#context.log.warn({ err: error, kind: row.kind }, 'jobs: cannot record how a run ended'),
			)
			.finally(() => {
				this.#runs.delete(run)
				this.wake()
			})
		this.#runs.set(run, ending)
	}

	async #carryOut(run: JobRun, kind: JobKind): Promise<void> {
		const { row } = run
		const { db } = this.#context
		// The previous holder died without reporting (a killed process), in what was the last attempt.
		if (row.attempts > 1 && kind.retry(row.attempts - 1) === null)
			return this.#giveUp(run, row.last_error ?? 'Its runs were cut off.')
		try {
			await run.run(kind.handler)
			if (!run.released) await endJob(db, row)
		} catch (error) {
			await this.#fail(run, kind, error)
		}
	}

	async #fail(run: JobRun, kind: JobKind, error: unknown): Promise<void> {
		const { db, clock, log, statements } = this.#context
		const { kind: name, key, attempts } = run.row
		if (error instanceof LeaseLost) {
			this.counts.lost += 1
			return log.warn({ kind: name, key }, 'jobs: a lease was lost while its job ran')
		}
		if (this.#closing && !run.released)
			return statements.release(db, run.row, {
				run_at: clock.nowMs(),
				attempts: attempts - 1,
				last_error: null,
			})
		this.counts.failed += 1
		log.warn({ err: error, kind: name, key, attempt: attempts }, 'jobs: a run failed')
		if (run.released) return
		const last_error = textOf(error)
		const waitMs = kind.retry(attempts)
		if (waitMs === null) return this.#giveUp(run, last_error)
		await statements.release(db, run.row, { run_at: clock.nowMs() + waitMs, attempts, last_error })
	}

	async #giveUp({ row }: JobRun, lastError: string): Promise<void> {
		const { kind, key, attempts } = row
		this.#context.log.error({ kind, key, attempts, last_error: lastError }, 'jobs: a job was given up')
		await endJob(this.#context.db, row)
	}

	#heartbeat(): void {
		for (const run of this.#runs.keys()) void run.heartbeat()
	}
}

function textOf(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error)
	return text.slice(0, 1000).toWellFormed().replaceAll('\0', ' ')
}

export interface RunContext {
	db: Database
	statements: JobStatements
	mutate: Mutate
	clock: Clock
	log: Log
}

/** One run of a claimed job under its lease. */
class JobRun {
	readonly row: JobRow
	readonly #context: RunContext
	readonly #leaseMs: number
	readonly #ending = new AbortController()
	#heldUntilMs: number
	#renewing = false
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

	get signal(): AbortSignal {
		return this.#ending.signal
	}

	async run(handler: JobHandler): Promise<void> {
		const { id, kind, key, workspace_id: workspaceId, payload, attempts: attempt, fence } = this.row
		const job: RunningJob = {
			...{ id, kind, key, workspaceId, attempt, fence },
			payload: JSON.parse(payload),
			signal: this.signal,
			commit: (work) => this.#commit(work),
			again: (tx, atMs) => this.#again(tx, atMs),
			finish: (tx) => this.#finish(tx),
		}
		await (workspaceId === null ? handler(job) : inChangeOf(workspaceId, key, () => handler(job)))
	}

	abort(reason: Error): void {
		this.#ending.abort(reason)
	}

	/** Extends the lease when a third of it has passed; if it is lost, the run's signal is aborted. */
	async heartbeat(): Promise<void> {
		const { clock, db, log } = this.#context
		const leftMs = this.#heldUntilMs - clock.nowMs()
		if (this.#renewing || this.#ending.signal.aborted || leftMs > (this.#leaseMs * 2) / 3) return
		this.#renewing = true
		try {
			await this.#extend(db)
		} catch (error) {
			if (error instanceof LeaseLost) return
			log.warn({ err: error, kind: this.row.kind }, 'jobs: a lease could not be extended')
			if (leftMs <= 0) this.abort(this.#lost())
		} finally {
			this.#renewing = false
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
		await this.#context.statements.release(tx, this.row, { run_at: atMs, attempts: 0, last_error: null })
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
