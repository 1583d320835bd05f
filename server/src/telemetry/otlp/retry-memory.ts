import type { Clock } from '../../platform/clock.ts'

const keptMs = 15 * 60 * 1000
const mostKept = 100_000

interface Known {
	stored: Promise<void>
	atMs: number
}

/**
 * Remembers the bodies that were acknowledged in the last 15 minutes, so that an exporter's retry is acknowledged
 * again without being stored again. It knows what this process stored since its start, at most 100,000 bodies.
 */
export class RetryMemory {
	readonly #clock: Clock
	readonly #known = new Map<string, Known>()

	constructor(clock: Clock) {
		this.#clock = clock
	}

	/** Runs `store` unless the same body is stored, or being stored: then its outcome is that of the first. */
	once(workspaceId: string, digest: string, store: () => Promise<void>): Promise<void> {
		this.#forget()
		const key = `${workspaceId} ${digest}`
		const known = this.#known.get(key)
		if (known) return known.stored
		const entry = { stored: this.#run(key, store), atMs: this.#clock.nowMs() }
		this.#known.set(key, entry)
		return entry.stored
	}

	get size(): number {
		return this.#known.size
	}

	async #run(key: string, store: () => Promise<void>): Promise<void> {
		try {
			await store()
		} catch (error) {
			this.#known.delete(key)
			throw error
		}
	}

	/** The oldest stand first. */
	#forget(): void {
		const oldestMs = this.#clock.nowMs() - keptMs
		for (const [key, { atMs }] of this.#known) {
			if (atMs > oldestMs && this.#known.size < mostKept) return
			this.#known.delete(key)
		}
	}
}
