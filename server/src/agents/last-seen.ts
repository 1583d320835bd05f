import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/index.ts'
import type { Log } from '../platform/log.ts'
import { touchAgents } from './repository.ts'

const flushMs = 5000

/** Collects when agents were seen and writes it every few seconds: a call never costs a write. */
export class LastSeen {
	readonly #db: Database
	readonly #clock: Clock
	readonly #log: Log
	readonly #timer: NodeJS.Timeout
	#seen = new Map<string, number>()
	#flushing: Promise<void> = Promise.resolve()

	constructor(db: Database, clock: Clock, log: Log) {
		this.#db = db
		this.#clock = clock
		this.#log = log
		this.#timer = setInterval(() => void this.flush(), flushMs)
		this.#timer.unref()
	}

	note(agentId: string): void {
		this.#seen.set(agentId, this.#clock.nowMs())
	}

	/** Writes what was noted; what cannot be written is forgotten, since the next call notes it again. */
	flush(): Promise<void> {
		const seen = this.#seen
		if (seen.size === 0) return this.#flushing
		this.#seen = new Map()
		this.#flushing = this.#flushing
			.then(() => this.#db.transaction().execute((tx) => touchAgents(tx, seen)))
			.catch((error: unknown) => this.#log.warn({ err: error }, 'agents: cannot note when they were seen'))
		return this.#flushing
	}

	async close(): Promise<void> {
		clearInterval(this.#timer)
		await this.flush()
	}
}
