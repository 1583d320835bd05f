/** Where an item stands in its `Slots`; -1 when it is in none. */
export interface Slotted {
	slot: number
}

/**
 * A set of things that come and go thousands of times a second. In a `Set` or `Map` each rehash links the old table to
 * the new one: once one of them has grown old, V8 keeps everything that any later table held until a full collection.
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

	/** False when the item is not in it (any more). */
	delete(item: Item): boolean {
		if (this.#items[item.slot] !== item) return false
		this.#items[item.slot] = null
		this.#free.push(item.slot)
		item.slot = -1
		return true
	}

	/** Items may be removed meanwhile. */
	*[Symbol.iterator](): Generator<Item> {
		for (const item of this.#items) if (item) yield item
	}
}
