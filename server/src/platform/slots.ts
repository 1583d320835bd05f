/** Index of an item in its `Slots`; -1 if it is in none. */
export interface Slotted {
	slot: number
}

/**
 * A set for items that are added and removed thousands of times a second. In a `Set` or `Map`, each rehash links the old table to
 * the new one: once a table has reached the old generation, V8 keeps everything that later tables held until a full collection.
 */
export class Slots<Item extends Slotted> {
	readonly #items: (Item | null)[] = []
	readonly #free: number[] = []

	get size(): number {
		return this.#items.length - this.#free.length
	}

	add(item: Item): void {
		item.slot = this.#free.pop() ?? this.#items.length
		this.#items[item.slot] = item
	}

	/** False if the item is not (or no longer) in it. */
	delete(item: Item): boolean {
		if (this.#items[item.slot] !== item) return false
		this.#items[item.slot] = null
		this.#free.push(item.slot)
		item.slot = -1
		return true
	}

	/** Items may be removed during the iteration. */
	*[Symbol.iterator](): Generator<Item> {
		for (const item of this.#items) if (item) yield item
	}
}
