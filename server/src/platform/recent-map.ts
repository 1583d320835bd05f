/**
 * A map of at most `most` entries that evicts the oldest. At least the most recent half is always kept, because the older half is
 * dropped as a whole. Deleting the oldest entry of a `Map` one at a time becomes slower and slower, since iteration passes the
 * slots of all deleted entries.
 */
export class RecentMap<Key, Value> {
	readonly #half: number
	#recent = new Map<Key, Value>()
	#weight = 0
	#older = new Map<Key, Value>()

	constructor(max: number) {
		this.#half = Math.max(1, Math.floor(max / 2))
	}

	get(key: Key): Value | undefined {
		const value = this.#recent.get(key)
		return value === undefined ? this.#older.get(key) : value
	}

	has(key: Key): boolean {
		return this.#recent.has(key) || this.#older.has(key)
	}

	/** Setting an entry makes it the most recent one. `weight`: how many entries it counts as. */
	set(key: Key, value: Value, weight = 1): void {
		if (!this.#recent.has(key)) {
			if (this.#weight >= this.#half) {
				this.#older = this.#recent
				this.#recent = new Map()
				this.#weight = 0
			}
			this.#weight += weight
		}
		this.#recent.set(key, value)
	}

	/** Gets an entry and makes it the most recent one, as `set` does. */
	use(key: Key, weight = 1): Value | undefined {
		const recent = this.#recent.get(key)
		if (recent !== undefined) return recent
		const older = this.#older.get(key)
		if (older !== undefined) this.set(key, older, weight)
		return older
	}

	clear(): void {
		this.#recent.clear()
		this.#older.clear()
		this.#weight = 0
	}
}
