/** In hand after a pause, so that what a person does is stored at once. */
const mostInHand = 8

/**
 * How often batches may begin that are due for their age alone: a token bucket. An insert costs the engine much the same for ten
 * rows as for a thousand, and every part that it makes is merged, so a steady stream goes in fewer of them.
 */
export class BatchPace {
	readonly #everyMs: number
	#inHand = mostInHand
	#countedMs = performance.now()

	/** One in `everyMs`, once those in hand are used up. */
	constructor(everyMs: number) {
		this.#everyMs = everyMs
	}

	/** Until the next one may begin, in ms; not above 0: now. */
	waitMs(): number {
		return (1 - this.#count()) * this.#everyMs
	}

	/** One begins, for whatever reason. */
	begin(): void {
		this.#inHand = Math.max(0, this.#count() - 1)
	}

	#count(): number {
		const now = performance.now()
		this.#inHand = Math.min(mostInHand, this.#inHand + (now - this.#countedMs) / this.#everyMs)
		this.#countedMs = now
		return this.#inHand
	}
}
