import { setImmediate } from 'node:timers/promises'

const turnMs = 5

/** Work on the event loop that gives way to others whenever a turn is over. */
export class Turns {
	#since = performance.now()

	/** The result of the last step. */
	async through<T>(steps: Iterator<void, T>): Promise<T> {
		for (;;) {
			const { done, value } = steps.next()
			if (done) return value
			if (performance.now() - this.#since < turnMs) continue
			await setImmediate()
			this.#since = performance.now()
		}
	}
}
