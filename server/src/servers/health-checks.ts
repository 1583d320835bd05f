import type { OutputOf, serverOperations } from '@signalbox/contract'
import { inChangeOf } from '../platform/change-scope.ts'
import { toIso } from '../platform/clock.ts'
import { Problem } from '../platform/errors.ts'
import type { Jobs, RunningJob } from '../platform/jobs/job.ts'
import { type CheckRow, deleteOldChecks, deleteSurplusChecks, listChecks } from './check-repository.ts'
import {
	checkServer,
	healthJob,
	isSameTarget,
	nextCheckInMs,
	type Outcome,
	scheduleCheck,
} from './check-server.ts'
import type { DiscoveryTimeouts } from './discovery/discovery.ts'
import { type DiscoverWhen, FurtherDiscoveries } from './further-discovery.ts'
import { type Caller, type ServerContext, serverOrNotFound } from './server-context.ts'
import { findServerForView, listUnscheduledServers, type ServerRow } from './server-repository.ts'

const checkPatience = { messageMs: 5000, totalMs: 20_000 }
/** However many servers are due after a long stop, they must not all be checked at once. */
const concurrency = 16
const keptMs = 30 * 24 * 60 * 60 * 1000
const pruneEveryMs = 60 * 60 * 1000
/** A server's history is trimmed after this many checks. */
const cutEvery = 50

/** A program that was stopped for being idle is not started only for a check. */
function isAsleep(
	{ programs }: ServerContext,
	{ id, hosting_mode, protocol_version, introduction, failures }: ServerRow,
): boolean {
	const isKnown = protocol_version !== null && introduction !== null
	const wasWell = hosting_mode === 'hosted' && isKnown && failures === 0
	return wasWell && programs.statusOf(id).state === 'stopped'
}

/** Keeps the health and tools of active servers up to date, by a job for each and by checks on demand. */
export class HealthChecks {
	readonly #servers: ServerContext
	readonly #running = new Map<string, { row: ServerRow; look: DiscoverWhen; outcome: Promise<Outcome> }>()
	/** Checks that begin when the running one has ended. */
	readonly #following = new Map<string, Promise<void>>()
	readonly #further: FurtherDiscoveries

	constructor(servers: ServerContext) {
		this.#servers = servers
		this.#further = new FurtherDiscoveries(servers)
		const jobs: Jobs = servers.jobs
		jobs.handle(healthJob, (job) => this.#runJob(job), {
			concurrency,
			retry: () => nextCheckInMs(servers.checkIntervalMs, 0),
		})
		jobs.every('server-health-prune', pruneEveryMs, ({ signal }) => this.#prune(signal))
	}

	/** Creates jobs for servers that have none, from a store that is older than jobs. */
	async start(): Promise<void> {
		const { store, mutate } = this.#servers
		for (let rows = await listUnscheduledServers(store.db, healthJob); rows.length > 0; ) {
			await mutate(async (tx) => {
				for (const row of rows) await scheduleCheck(tx, this.#servers, row)
			})
			rows = await listUnscheduledServers(store.db, healthJob)
		}
	}

	async close(): Promise<void> {
		await Promise.allSettled([...this.#running.values()].map(({ outcome }) => outcome))
	}

	/** Checks a server now, or joins a running check of it as it is now (see `#once`). `look` determines whether to discover tools that only some clients have. */
	check(
		row: ServerRow,
		patience: DiscoveryTimeouts = checkPatience,
		look: DiscoverWhen = 'if due',
	): Promise<Outcome> {
		return this.#once(row, look, (now) =>
			checkServer(this.#servers, now, patience, this.#further.at(now, look), (note) =>
				this.#servers.mutate(async (tx) => {
					const noted = await note(tx)
					if (noted) await scheduleCheck(tx, this.#servers, noted)
				}),
			),
		)
	}

	/**
	 * Checks a server that has announced a change. A check that is already running may have listed the tools before it, so another
	 * one follows. A deleted server is not an error.
	 */
	async refresh(serverId: string): Promise<void> {
		const following = this.#following.get(serverId)
		if (following !== undefined) return following
		const running = this.#running.get(serverId)
		if (running === undefined) return this.#checkById(serverId)
		const next = running.outcome
			.catch(() => {})
			.then(() => {
				this.#following.delete(serverId)
				return this.#checkById(serverId)
			})
		this.#following.set(serverId, next)
		return next
	}

	async #checkById(serverId: string): Promise<void> {
		const row = await findServerForView(this.#servers.store.db, serverId)
		if (row) await this.check(row)
	}

	/**
	 * Joins a running check, except of the server before it was changed or restarted: that one is awaited. So is one that sees less
	 * than is asked for, or has begun before it was asked for the current tools.
	 */
	async #once(
		row: ServerRow,
		look: DiscoverWhen,
		run: (row: ServerRow) => Promise<Outcome>,
		hasWaited = false,
	): Promise<Outcome> {
		const { id, workspace_id } = row
		const running = this.#running.get(id)
		if (running !== undefined) {
			const seesAll = look !== 'now' || (hasWaited && running.look === 'now')
			if (seesAll && isSameTarget(running.row, row)) return running.outcome
			await running.outcome.catch(() => {})
			const now = await findServerForView(this.#servers.store.db, id)
			return this.#once(now ?? row, look, run, true)
		}
		const outcome = inChangeOf(workspace_id, id, () => run(row)).finally(() => this.#running.delete(id))
		this.#running.set(id, { row, look, outcome })
		return outcome
	}

	/** One transaction stores the outcome and schedules the next check. For a deleted or inactive server the job ends. */
	async #runJob(job: RunningJob): Promise<void> {
		const { store, clock, ending, checkIntervalMs } = this.#servers
		const row = await findServerForView(store.db, job.key)
		if (row?.status !== 'active') return this.#further.forget(job.key)
		let isNoted = false
		if (isAsleep(this.#servers, row))
			return job.commit((tx) => job.again(tx, clock.nowMs() + nextCheckInMs(checkIntervalMs, 0)))
		await this.#once(row, 'if due', (now) =>
			checkServer(this.#servers, now, checkPatience, this.#further.at(now, 'if due'), async (note) => {
				isNoted = true
				await job.commit(async (tx) => {
					const noted = await note(tx)
					const failures = noted?.failures ?? row.failures
					if (job.fence % cutEvery === 0) await deleteSurplusChecks(tx, row.workspace_id, row.id)
					await job.again(tx, clock.nowMs() + nextCheckInMs(checkIntervalMs, failures))
				})
			}),
		)
		if (ending.aborted) throw new Error('The program is stopping.')
		if (!isNoted)
			await job.commit((tx) => job.again(tx, clock.nowMs() + nextCheckInMs(checkIntervalMs, row.failures)))
	}

	async #prune(signal: AbortSignal): Promise<void> {
		const { store, clock } = this.#servers
		while (!signal.aborted && (await deleteOldChecks(store.db, clock.deletionMs() - keptMs)));
	}
}

type History = OutputOf<(typeof serverOperations)['healthHistory']>

/** A page of a server's checks, newest first; the cursor is the id of the last one returned. */
export async function readHistory(
	{ store }: ServerContext,
	{ workspaceId }: Caller,
	id: string,
	{ limit, cursor }: { limit: number; cursor?: string },
): Promise<History> {
	if (cursor !== undefined && !/^[0-9a-f-]{36}$/.test(cursor)) throw badCursor()
	await serverOrNotFound(store.db, workspaceId, id)
	const rows = await listChecks(store.db, workspaceId, id, cursor ?? null, limit + 1)
	const shown = rows.slice(0, limit)
	const last = rows.length > limit ? shown.at(-1) : undefined
	return { health_checks: shown.map(presentCheck), next_cursor: last?.id ?? null }
}

function presentCheck({ id, at, status, latency_ms, error, protocol_version, tools }: CheckRow) {
	return {
		id,
		at: toIso(at),
		status: status as History['health_checks'][number]['status'],
		...{ latency_ms, error, protocol_version, tools },
	}
}

function badCursor(): Problem {
	const detail = 'is not a cursor that this list gave'
	return new Problem('invalid_request', `cursor: ${detail}.`, {
		errors: [{ pointer: '/cursor', code: 'cursor', detail }],
	})
}
