/** A quota that may be used at once and comes back evenly over its window. */
export interface Quota {
	requests: number
	windowMs: number
}

/** What one `take` came to. */
export interface Taken {
	/** 0: it is within the quota; otherwise the time to wait. */
	readonly waitMs: number
	/** What is left of the quota now. */
	readonly remaining: number
	/** Time until the quota is whole again. */
	readonly resetMs: number
}

/** A clock that goes back further was set back. */
const backwardsMs = 1000

/**
 * The generic cell rate algorithm over many callers: for each the time until its quota is whole again, and when that was so.
 * Constant time, and no allocation for a caller that is known; the fields are of the last `take`. Holds the callers of two
 * generations of at most `size`: when the young one is full the old one is forgotten, and with it only who has not called for
 * a long while.
 */
export class Rates implements Taken {
	readonly #size: number
	#young = new Map<string, number>()
	#old = new Map<string, number>()
	/** Two numbers a caller: the time that is owed, and when that was so. */
	#youngTimes: Float64Array
	#oldTimes: Float64Array
	waitMs = 0
	remaining = 0
	resetMs = 0

	constructor(size = 20_000) {
		this.#size = size
		this.#youngTimes = new Float64Array(2 * size)
		this.#oldTimes = new Float64Array(2 * size)
	}

	/**
	 * Counts a request, or what costs as much as several; returns the time to wait in milliseconds, or 0 when it is within the
	 * quota. What costs more than the whole quota passes while nothing is owed, since it never would otherwise.
	 */
	take(caller: string, quota: Quota, nowMs: number, cost = 1): number {
		const { requests, windowMs } = quota
		const at = this.#placeOf(caller, nowMs)
		const owedMs = this.#youngTimes[at] as number
		const missingMs = owedMs + (Math.min(cost, requests) * windowMs) / requests - windowMs
		// Sums of fractions miss by a little.
		const isWithin = missingMs <= 1e-6
		this.waitMs = isWithin ? 0 : missingMs
		this.#set(at, quota, isWithin ? owedMs + (cost * windowMs) / requests : owedMs)
		return this.waitMs
	}

	/** What something cost beyond what was taken for it, or less. */
	correct(caller: string, quota: Quota, nowMs: number, difference: number): void {
		const at = this.#placeOf(caller, nowMs)
		const owedMs = (this.#youngTimes[at] as number) + (difference * quota.windowMs) / quota.requests
		this.#set(at, quota, Math.max(0, owedMs))
	}

	/** How many callers are held. */
	get size(): number {
		return this.#young.size + this.#old.size
	}

	#set(at: number, { requests, windowMs }: Quota, owedMs: number): void {
		this.#youngTimes[at] = owedMs
		this.resetMs = owedMs
		this.remaining = Math.max(0, Math.floor(((windowMs - owedMs) * requests) / windowMs + 1e-6))
	}

	/** Where the times of a caller stand, brought to now. */
	#placeOf(caller: string, nowMs: number): number {
		const at = 2 * this.#slotOf(caller)
		const times = this.#youngTimes
		const goneMs = nowMs - (times[at + 1] as number)
		// A clock that was set back would otherwise keep everybody out until it catches up.
		if (goneMs >= 0) times[at] = Math.max(0, (times[at] as number) - goneMs)
		else if (goneMs < -backwardsMs) times[at] = 0
		else return at
		times[at + 1] = nowMs
		return at
	}

	#slotOf(caller: string): number {
		const known = this.#young.get(caller)
		if (known !== undefined) return known
		if (this.#young.size === this.#size) this.#turn()
		const slot = this.#young.size
		const before = this.#old.get(caller)
		for (const part of [0, 1])
			this.#youngTimes[2 * slot + part] =
				before === undefined ? 0 : (this.#oldTimes[2 * before + part] as number)
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
