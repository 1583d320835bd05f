/** Pseudo-random numbers that are the same each time (mulberry32): the demo shows everybody the same day. */
export class Dice {
	#state: number

	constructor(seed: number) {
		this.#state = seed
	}

	/** From 0, below 1. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) | 0
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
	}

	/** A whole number, both ends included. */
	between(least: number, most: number): number {
		return least + Math.floor(this.next() * (most - least + 1))
	}

	pick<T>(from: readonly T[]): T {
		return from[Math.floor(this.next() * from.length)] as T
	}
}
