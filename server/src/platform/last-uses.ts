import { atIntervals, type Clock } from './clock.ts'
import { type Database, type DatabaseTransaction, transact } from './database/database.ts'
import type { Log } from './log.ts'

const flushMs = 5000

/** An object that is used. `workspaceId` is '' where its id is enough to find it. */
interface Used {
	id: string
	workspaceId: string
}

export interface LastUsesOptions {
	db: Database
	clock: Clock
	log: Log
	/** The plural name of the objects, for the log. */
	of: string
	touch(tx: DatabaseTransaction, used: Used, atMs: number): Promise<void>
}

/** When objects were last used. The times are written in batches every few seconds, so no request waits for the write. */
export class LastUses {
	readonly #options: LastUsesOptions
	readonly #stopFlushing: () => void
	#noted = new Map<string, Used & { atMs: number }>()
	#flushing: Promise<void> = Promise.resolve()

	constructor(options: LastUsesOptions) {
		this.#options = options
		this.#stopFlushing = atIntervals(flushMs, () => void this.flush())
	}

	readonly note = (id: string, workspaceId = ''): void => {
		this.#noted.set(id, { id, workspaceId, atMs: this.#options.clock.nowMs() })
	}

	/** Writes the recorded times. If that fails they are dropped, since the next use records a new one. */
	flush(): Promise<void> {
		const { log, of } = this.#options
		if (this.#noted.size === 0) return this.#flushing
		const noted = [...this.#noted.values()]
		this.#noted = new Map()
		this.#flushing = this.#flushing
			.then(() => this.#write(noted))
			.catch((error: unknown) => log.warn({ err: error }, `cannot write when ${of} were last used`))
		return this.#flushing
	}

	async close(): Promise<void> {
		this.#stopFlushing()
		await this.flush()
	}

	/** Always in the same order, so that two programs cannot deadlock on each other's rows. */
	async #write(noted: (Used & { atMs: number })[]): Promise<void> {
		noted.sort((a, b) => (a.id < b.id ? -1 : 1))
		await transact(this.#options.db, async (tx) => {
			for (const used of noted) await this.#options.touch(tx, used, used.atMs)
		})
	}
}
