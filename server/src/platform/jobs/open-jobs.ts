import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlStore, DatabaseTransaction } from '../database/database.ts'
import type { Figure } from '../health/metrics.ts'
import { newId } from '../ids.ts'
import type { Log } from '../log.ts'
import { afterCommit } from '../mutation.ts'
import { doubledMs, withJitter } from '../retry.ts'
import type { JobHandler, Jobs, LocalHandler, NewJob } from './job.ts'
import {
	deleteJob,
	endOldLeases,
	firstRunOf,
	type JobRow,
	JobStatements,
	moveJobsBack,
	upsertJob,
} from './job-repository.ts'
import { type JobKind, JobRunner, type RunContext } from './runner.ts'

interface JobDependencies extends Omit<RunContext, 'db' | 'statements'> {
	store: ControlStore
}

export type OpenJobs = Jobs & { figures: Figure[] }

/** 1 s, doubled with every attempt up to an hour, plus up to half of that as jitter. */
const backOff = { firstMs: 1000, maxMs: 60 * 60 * 1000 }
const usual = {
	leaseMs: 30_000,
	concurrency: 4,
	retry: (attempt: number) => withJitter(doubledMs(backOff, attempt - 1), 0.5),
}
const jitter = 0.1
/** Longer than the lease of a process that was killed. */
const setBackMs = 60_000

/** The job runner of this process, on the store that all processes share. */
export function openJobs({ store, ...dependencies }: JobDependencies): OpenJobs {
	const context: RunContext = {
		...dependencies,
		db: store.db,
		statements: new JobStatements(store.db),
	}
	const { clock, mutate, log } = context
	const kinds = new Map<string, JobKind>()
	const recurring = new Map<string, number>()
	const runner = new JobRunner(context, kinds)
	const local = new LocalJobs(log)
	const enqueue: Jobs['enqueue'] = async (tx, job) => {
		await enqueueJob(tx, job, clock.nowMs())
		afterCommit(tx, () => runner.wake())
	}
	const every: Jobs['every'] = (kind, intervalMs, handler) => {
		recurring.set(kind, intervalMs)
		const retry = () => withJitter(intervalMs, jitter)
		kinds.set(kind, { ...usual, retry, concurrency: 1, handler: repeating(handler, retry, clock) })
	}
	/** Something recurs every few seconds, unless all of it was planned by a clock that was set back while no program ran. */
	const followClock = async (tx: DatabaseTransaction) => {
		const nowMs = clock.nowMs()
		const aheadMs = (await firstRunOf(tx, [...recurring.keys()])) - nowMs
		if (aheadMs < setBackMs + (1 + jitter) * Math.min(...recurring.values())) return
		const jobs = await moveJobsBack(tx, nowMs, aheadMs)
		log.warn({ set_back_ms: aheadMs, jobs }, 'jobs: the clock was set back since the last run')
	}
	const everyHere: Jobs['everyHere'] = (kind, intervalMs, handler) =>
		local.add({ kind, handler, firstWithinMs: intervalMs, waitMs: () => withJitter(intervalMs, jitter) })
	const seed = () =>
		mutate(async (tx) => {
			// Older versions, and programs on a common ClickHouse server, keep these in the store, where nobody would run them.
			for (const kind of local.kinds) await deleteJob(tx, kind, '')
			// This reads when leases end, and so comes before they are ended.
			if (recurring.size > 0) await followClock(tx)
			await endOldLeases(tx, runner.holder, clock.nowMs())
			afterCommit(tx, () => runner.wake())
			for (const [kind, intervalMs] of recurring)
				await enqueue(tx, {
					...{ kind, key: '', workspaceId: null },
					runAtMs: clock.nowMs() + Math.round(intervalMs * Math.random()),
				})
		})
	return {
		handle: (kind, handler, options) => void kinds.set(kind, { ...usual, ...options, handler }),
		every,
		everyHere,
		enqueue,
		alone: (job, work) => runner.alone(newRow(job, clock.nowMs()), usual.leaseMs, work),
		cancel: deleteJob,
		start: () => {
			runner.start()
			local.start()
			if (recurring.size > 0 || local.kinds.length > 0)
				seed().catch((error: unknown) => log.error({ err: error }, 'jobs: cannot set up recurring jobs'))
		},
		close: async () => {
			await Promise.all([local.close(), runner.close()])
		},
		figures: figuresOf(runner, local),
	}
}

/** Runs again after the interval, unless the handler has scheduled a time itself. */
function repeating(handler: JobHandler, waitMs: () => number, clock: RunContext['clock']): JobHandler {
	return async (job) => {
		let isSet = false
		await handler({
			...job,
			again: (tx, atMs) => {
				isSet = true
				return job.again(tx, atMs)
			},
		})
		if (!isSet) await job.commit((tx) => job.again(tx, clock.nowMs() + waitMs()))
	}
}

function figuresOf(runner: JobRunner, local: LocalJobs): Figure[] {
	const { counts } = runner
	return [
		{ name: 'signalbox_jobs_due', help: 'Background jobs that wait for a free hand', read: () => counts.due },
		{
			name: 'signalbox_jobs_running',
			help: 'Background jobs that run in this process',
			read: () => runner.running + local.counts.running,
		},
		{
			name: 'signalbox_jobs_failed',
			help: 'Runs of background jobs that failed since the start',
			read: () => counts.failed + local.counts.failed,
			grows: true,
		},
		{
			name: 'signalbox_jobs_lost',
			help: 'Runs of background jobs whose lease another process took since the start',
			read: () => counts.lost,
			grows: true,
		},
	]
}

/**
 * Adds a job, or moves the one of this kind and key to the earlier time, in the caller's transaction. For code without access to a
 * runner: runners find the job within a second, while `Jobs.enqueue` also wakes the runner of its own process.
 */
export async function enqueueJob(tx: DatabaseTransaction, job: NewJob, nowMs: number): Promise<void> {
	await upsertJob(tx, newRow(job, nowMs))
}

function newRow({ kind, key, workspaceId, payload = null, runAtMs }: NewJob, nowMs: number): JobRow {
	return {
		id: newId(nowMs),
		kind,
		key,
		workspace_id: workspaceId,
		payload: JSON.stringify(payload),
		run_at: runAtMs ?? nowMs,
		again_at: null,
		attempts: 0,
		lease_holder: null,
		fence: 0,
		last_error: null,
		created_at: nowMs,
	}
}

interface LocalJob {
	kind: string
	/** The time until the next run. */
	waitMs: () => number
	/** The first run comes within this time. */
	firstWithinMs: number
	handler: LocalHandler
}

/** Runs the jobs that recur in this program. Nothing of them is kept in the store, so no other program has a part in them. */
class LocalJobs {
	readonly #log: Pick<Log, 'warn'>
	readonly #jobs: LocalJob[] = []
	readonly #ending = new AbortController()
	#loops: Promise<void>[] = []
	/** For `/metrics`. */
	readonly counts = { running: 0, failed: 0 }

	constructor(log: Pick<Log, 'warn'>) {
		this.#log = log
	}

	get kinds(): string[] {
		return this.#jobs.map(({ kind }) => kind)
	}

	add(job: LocalJob): void {
		this.#jobs.push(job)
	}

	start(): void {
		const outside = AsyncLocalStorage.snapshot()
		this.#loops = this.#jobs.map((job) => outside(() => this.#repeat(job)))
	}

	async close(): Promise<void> {
		this.#ending.abort(new Error('The program is stopping.'))
		await Promise.all(this.#loops)
	}

	async #repeat(job: LocalJob): Promise<void> {
		await this.#pause(job.firstWithinMs * Math.random())
		while (!this.#ending.signal.aborted) {
			await this.#run(job)
			await this.#pause(job.waitMs())
		}
	}

	async #run({ kind, handler }: LocalJob): Promise<void> {
		const { signal } = this.#ending
		this.counts.running += 1
		try {
			await handler({ signal })
		} catch (error) {
			if (signal.aborted) return
			this.counts.failed += 1
			this.#log.warn({ err: error, kind }, 'jobs: a run failed')
		} finally {
			this.counts.running -= 1
		}
	}

	#pause(ms: number): Promise<void> {
		return sleep(ms, undefined, { signal: this.#ending.signal, ref: false }).catch(() => undefined)
	}
}
