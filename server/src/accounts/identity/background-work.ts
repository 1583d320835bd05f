import type { Log } from '../../platform/log.ts'

/** Work that goes on after an answer. Its failures are logged; `close` waits for what is under way. */
export class BackgroundWork {
	readonly #log: Log
	readonly #running = new Set<Promise<void>>()

	constructor(log: Log) {
		this.#log = log
	}

	/** Starts after `delayMs`, so that how long it takes cannot be seen in the answer. */
	run(name: string, work: () => Promise<void>, delayMs = 0): void {
		const running: Promise<void> = new Promise((resolve) => setTimeout(resolve, delayMs))
			.then(work)
			.catch((error: unknown) => this.#log.error({ err: error }, `identity: ${name} failed`))
			.finally(() => this.#running.delete(running))
		this.#running.add(running)
	}

	async close(): Promise<void> {
		while (this.#running.size > 0) await Promise.all(this.#running)
	}
}
