import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/index.ts'
import type { Log } from '../../platform/log.ts'
import { touchConnections } from './repository.ts'

const flushMs = 5000

/** When each stored key was last used, written every few seconds: a call never costs a write. */
export class ConnectionUses {
	readonly #db: Database
	readonly #clock: Clock
	readonly #log: Log
	readonly #timer: NodeJS.Timeout
	#used = new Map<string, { workspaceId: string; atMs: number }>()
	#flushing: Promise<void> = Promise.resolve()

	constructor(db: Database, clock: Clock, log: Log) {
		this.#db = db
		this.#clock = clock
		this.#log = log
		this.#timer = setInterval(() => void this.flush(), flushMs)
		this.#timer.unref()
	}

	note({ id, workspaceId }: { id: string; workspaceId: string }): void {
		this.#used.set(id, { workspaceId, atMs: this.#clock.nowMs() })
	}

	/** What cannot be written is forgotten, since the next call notes it again. */
	flush(): Promise<void> {
		const used = this.#used
		if (used.size === 0) return this.#flushing
		this.#used = new Map()
		this.#flushing = this.#flushing
			.then(() => this.#db.transaction().execute((tx) => touchConnections(tx, used)))
			.catch((error: unknown) => this.#log.warn({ err: error }, 'connections: cannot note their use'))
		return this.#flushing
	}

	async close(): Promise<void> {
		clearInterval(this.#timer)
		await this.flush()
	}
}
