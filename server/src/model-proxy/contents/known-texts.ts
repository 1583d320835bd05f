/** Texts of which the table has one of the day; forgetting costs a second copy, which merges take away. */
const limit = 100_000

export class KnownTexts {
	/** Oldest first. */
	readonly #known = new Set<string>()

	/** True the first time; a text that is used stays known. */
	isNew(key: string): boolean {
		const isKnown = this.#known.delete(key)
		this.#known.add(key)
		if (this.#known.size > limit) this.#known.delete(this.#known.keys().next().value as string)
		return !isKnown
	}

	/** After a write that failed, nobody knows which are there. */
	forget(): void {
		this.#known.clear()
	}
}
