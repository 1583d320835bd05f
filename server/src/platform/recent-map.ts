/**
 * A map that forgets what was set longest ago. It holds at most `most` entries, of which the last half is certain: the older half is
 * dropped as a whole. To take the oldest entry out of a `Map` again and again would cost ever more, since the place of each entry
 * that was deleted is passed each time.
 */
export class RecentMap<Key, Value> {
	readonly #half: number
	#recent = new Map<Key, Value>()
	#weight = 0
	#older = new Map<Key, Value>()

	constructor(most: number) {
		this.#half = Math.max(1, Math.floor(most / 2))
	}

	get(key: Key): Value | undefined {
		const value = this.#recent.get(key)
		return value === undefined ? this.#older.get(key) : value
	}

	has(key: Key): boolean {
		return this.#recent.has(key) || this.#older.has(key)
	}

	/** An entry is as recent as it was set last. `weight`: as how many it counts. */
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

	/** Gets an entry, which is as recent from now on as if it had been set. */
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
