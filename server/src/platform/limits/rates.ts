/** A quota that may be used at once and is refilled evenly over its window. */
export interface Quota {
	requests: number
	windowMs: number
}

/** The result of one `take`. */
export interface TakeResult {
	/** 0: within the quota; otherwise the time to wait. */
	readonly waitMs: number
	/** The remaining quota. */
	readonly remaining: number
	/** Time until the quota is full again. */
	readonly resetMs: number
}

/** If time goes back by more than this, the clock was set back. */
const backwardsMs = 1000

/**
 * The generic cell rate algorithm (GCRA) for many callers. It stores for each caller the time until the quota is full again, and
 * when that was computed. Constant time, and no allocation for a known caller; the fields are the result of the last `take`.
 * Callers are held in two generations of at most `size`: when the young one is full, the old one is dropped, which evicts only
 * callers that have not called for a long time.
 */
export class Rates implements TakeResult {
	readonly #size: number
	#young = new Map<string, number>()
	#old = new Map<string, number>()
	/** Two numbers per caller: the time until its quota is full, and when that was computed. */
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
	 * Counts a request of the given cost. Returns the time to wait in milliseconds, or 0 if it is within the quota. A cost above the
	 * whole quota is accepted while the quota is full, since it never would be otherwise.
	 */
	take(caller: string, quota: Quota, nowMs: number, cost = 1): number {
		const { requests, windowMs } = quota
		const at = this.#placeOf(caller, nowMs)
		const owedMs = this.#youngTimes[at] as number
		const missingMs = owedMs + (Math.min(cost, requests) * windowMs) / requests - windowMs
		// Tolerance for rounding errors.
		const isWithin = missingMs <= 1e-6
		this.waitMs = isWithin ? 0 : missingMs
		this.#set(at, quota, isWithin ? owedMs + (cost * windowMs) / requests : owedMs)
		return this.waitMs
	}

	/** Corrects the cost of an earlier `take` by a positive or negative difference. */
	correct(caller: string, quota: Quota, nowMs: number, difference: number): void {
		const at = this.#placeOf(caller, nowMs)
		const owedMs = (this.#youngTimes[at] as number) + (difference * quota.windowMs) / quota.requests
		this.#set(at, quota, Math.max(0, owedMs))
	}

	/** Number of callers held. */
	get size(): number {
		return this.#young.size + this.#old.size
	}

	#set(at: number, { requests, windowMs }: Quota, owedMs: number): void {
		this.#youngTimes[at] = owedMs
		this.resetMs = owedMs
		this.remaining = Math.max(0, Math.floor(((windowMs - owedMs) * requests) / windowMs + 1e-6))
	}

	/** The index of a caller's times, updated to now. */
	#placeOf(caller: string, nowMs: number): number {
		const at = 2 * this.#slotOf(caller)
		const times = this.#youngTimes
		const goneMs = nowMs - (times[at + 1] as number)
		// If the clock was set back, everybody would otherwise be refused until it catches up.
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
