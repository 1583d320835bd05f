/**
 * A map that forgets what was set longest ago. It holds at most `most` entries, of which the last half is certain: the older half is
 * dropped as a whole. To take the oldest entry out of a `Map` again and again would cost ever more, since the place of each entry
 * that was deleted is passed each time.
 */
export class RecentMap<Key, Value> {
	readonly #half: number
	#recent = new Map<Key, Value>()
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

	/** An entry is as recent as it was set last. */
	set(key: Key, value: Value): void {
		if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
			this.#older = this.#recent
			this.#recent = new Map()
		}
		this.#recent.set(key, value)
	}

	clear(): void {
		this.#recent.clear()
		this.#older.clear()
	}
}
