/** A quota that may be used at once and comes back evenly over its window. */
export interface Quota {
	requests: number
	windowMs: number
}

/**
 * The generic cell rate algorithm over many callers: one number for each, the time at which its quota is whole again.
 * Constant time, and no allocation for a caller that is known. Holds the callers of two generations of at most `size`:
 * when the young one is full the old one is forgotten, and with it only who has not called for a long while.
 */
export class Gcra {
	readonly #size: number
	#young = new Map<string, number>()
	#old = new Map<string, number>()
	#youngTimes: Float64Array
	#oldTimes: Float64Array
	/** Of the last `take`: requests that are left. */
	remaining = 0
	/** Of the last `take`: time until the quota is whole again. */
	resetMs = 0

	constructor(size = 20_000) {
		this.#size = size
		this.#youngTimes = new Float64Array(size)
		this.#oldTimes = new Float64Array(size)
	}

	/** Counts a request; the time to wait in milliseconds, or 0 when it is within the quota. */
	take(caller: string, { requests, windowMs }: Quota, nowMs: number): number {
		const slot = this.#slotOf(caller)
		const stored = this.#youngTimes[slot] as number
		// A clock that was set back would otherwise keep everybody out until it catches up.
		const wholeAt = stored > nowMs && stored <= nowMs + windowMs ? stored : nowMs
		const next = wholeAt + windowMs / requests
		const waitMs = next - windowMs - nowMs
		// Sums of fractions miss by a little.
		const allowed = waitMs <= 1e-6
		const now = allowed ? next : wholeAt
		this.#youngTimes[slot] = now
		this.resetMs = now - nowMs
		this.remaining = Math.max(0, Math.floor(((windowMs - this.resetMs) * requests) / windowMs + 1e-6))
		return allowed ? 0 : waitMs
	}

	/** How many callers are held. */
	get size(): number {
		return this.#young.size + this.#old.size
	}

	#slotOf(caller: string): number {
		const known = this.#young.get(caller)
		if (known !== undefined) return known
		if (this.#young.size === this.#size) this.#turn()
		const slot = this.#young.size
		const before = this.#old.get(caller)
		this.#youngTimes[slot] = before === undefined ? 0 : (this.#oldTimes[before] as number)
		this.#young.set(caller, slot)
		return slot
	}

	#turn(): void {
		const times = this.#oldTimes
		this.#old = this.#young
		this.#oldTimes = this.#youngTimes
		this.#young = new Map()
		this.#youngTimes = times
	}
}
