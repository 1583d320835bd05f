import { checkServer, type Outcome } from './check-server.ts'
import type { ServerContext } from './context.ts'
import { findServerForView, listDueServers, type ServerRow } from './repository.ts'

const checkTimeoutMs = 5000
const concurrency = 16

/** Keeps the health and tools of active servers fresh, and never asks one server twice at the same time. */
export class HealthChecks {
	readonly #servers: ServerContext
	readonly #intervalMs: number
	readonly #running = new Map<string, Promise<Outcome>>()
	#timer: NodeJS.Timeout | null = null
	#round: Promise<void> = Promise.resolve()

	constructor(servers: ServerContext, intervalMs: number) {
		this.#servers = servers
		this.#intervalMs = intervalMs
	}

	start(): void {
		this.#timer ??= setInterval(() => void this.#runRound(), Math.min(1000, this.#intervalMs))
		this.#timer.unref()
	}

	async close(): Promise<void> {
		if (this.#timer) clearInterval(this.#timer)
		await this.#round
		await Promise.allSettled(this.#running.values())
	}

	/** Checks a server now, or joins the check that runs. */
	check(row: ServerRow, timeoutMs = checkTimeoutMs): Promise<Outcome> {
		const running = this.#running.get(row.id)
		if (running !== undefined) return running
		const check = checkServer(this.#servers, row, timeoutMs).finally(() => this.#running.delete(row.id))
		this.#running.set(row.id, check)
		return check
	}

	/** The same by id, for those who know no more; a server that is gone is no error. */
	async refresh(serverId: string): Promise<void> {
		const row = await findServerForView(this.#servers.store.db, serverId)
		if (row) await this.check(row)
	}

	#runRound(): Promise<void> {
		if (this.#running.size >= concurrency) return this.#round
		this.#round = this.#round
			.then(() => this.#checkDue())
			.catch((error: unknown) =>
				this.#servers.log.warn({ err: error }, 'servers: health checks could not run'),
			)
		return this.#round
	}

	/** The wait of each server differs a little, so that servers registered together are not asked together for ever. */
	async #checkDue(): Promise<void> {
		const { store, clock, log } = this.#servers
		const jitterMs = Math.floor(this.#intervalMs * 0.2 * Math.random())
		const before = clock.nowMs() - this.#intervalMs + jitterMs
		const due = await listDueServers(store.db, before, 2 * concurrency)
		const idle = due.filter(({ id }) => !this.#running.has(id)).slice(0, concurrency - this.#running.size)
		for (const row of idle) {
			this.check(row).catch((error: unknown) =>
				log.warn({ err: error, server_id: row.id }, 'servers: a health check failed'),
			)
		}
	}
}
