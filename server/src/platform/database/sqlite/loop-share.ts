import { setImmediate as nextTurn } from 'node:timers/promises'

const shareMs = 5

/**
 * Statements of SQLite are synchronous calls, and a chain of them would hold the event loop to its end. When a chain has
 * held it for 5 ms, the loop turns before the next statement.
 */
export class LoopShare {
	#sinceMs: number | null = null

	/** To be awaited before each statement. */
	async claim(): Promise<void> {
		const nowMs = performance.now()
		if (this.#sinceMs === null) {
			this.#sinceMs = nowMs
			setImmediate(() => {
				this.#sinceMs = null
			})
		} else if (nowMs - this.#sinceMs > shareMs) await nextTurn()
	}
}
