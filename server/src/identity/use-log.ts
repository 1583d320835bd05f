import type { Clock } from '../platform/clock.ts'
import type { ControlStore } from '../platform/database/index.ts'
import type { Principal } from '../platform/http/index.ts'
import type { Log } from '../platform/log.ts'
import { touchCredential } from './credentials/repository.ts'
import { touchSession } from './sessions/repository.ts'

const flushEveryMs = 5000

/** When each credential and session was last used, written together every few seconds and never by a request. */
export class UseLog {
	readonly #store: ControlStore
	readonly #clock: Clock
	readonly #log: Log
	#keys = new Map<string, { workspaceId: string; atMs: number }>()
	#sessions = new Map<string, number>()
	#timer: NodeJS.Timeout | null = null

	constructor(store: ControlStore, clock: Clock, log: Log) {
		this.#store = store
		this.#clock = clock
		this.#log = log
	}

	start(): void {
		const failed = (error: unknown) =>
			this.#log.warn({ err: error }, 'identity: cannot write when credentials were last used')
		this.#timer = setInterval(() => void this.flush().catch(failed), flushEveryMs)
		this.#timer.unref()
	}

	note(principal: Principal): void {
		const atMs = this.#clock.nowMs()
		if (principal.kind === 'user') this.#sessions.set(principal.sessionId, atMs)
		else this.#keys.set(principal.keyId, { workspaceId: principal.workspaceId, atMs })
	}

	async flush(): Promise<void> {
		const keys = [...this.#keys].sort(byId)
		const sessions = [...this.#sessions].sort(byId)
		if (keys.length + sessions.length === 0) return
		this.#keys = new Map()
		this.#sessions = new Map()
		await this.#store.db.transaction().execute(async (tx) => {
			for (const [id, { workspaceId, atMs }] of keys) await touchCredential(tx, workspaceId, id, atMs)
			for (const [id, atMs] of sessions) await touchSession(tx, id, atMs)
		})
	}

	async close(): Promise<void> {
		if (this.#timer) clearInterval(this.#timer)
		await this.flush()
	}
}

/** Always in the same order, so that two nodes never wait for each other's rows. */
function byId([a]: [string, unknown], [b]: [string, unknown]): number {
	return a < b ? -1 : 1
}
