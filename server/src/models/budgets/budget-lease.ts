/**
 * What one process may spend of one budget without asking: integers, in memory, pure. `granted` is what the control store
 * lent and still counts as lent; what is settled but not told there yet is `unreported`.
 */
export class BudgetLease {
	#granted = 0
	#reserved = 0
	#unreported = 0

	/** What can be promised to another call; below zero when calls cost more than was held for them. */
	get free(): number {
		return this.#granted - this.#reserved - this.#unreported
	}

	get granted(): number {
		return this.#granted
	}

	get reserved(): number {
		return this.#reserved
	}

	get unreported(): number {
		return this.#unreported
	}

	/** The store lent more. */
	grant(amount: number): void {
		this.#granted += amount
	}

	/** Holds an amount for a call; false when there is not so much. */
	reserve(amount: number): boolean {
		if (amount > this.free) return false
		this.#reserved += amount
		return true
	}

	/** Holds an amount in any case: for budgets that only count. */
	reserveAnyway(amount: number): void {
		this.#reserved += amount
	}

	/** A call is over: its reservation ends, what it cost is spent. */
	settle(reserved: number, cost: number): void {
		this.#reserved -= reserved
		this.#unreported += cost
	}

	/** The store was told of `spent`, and took `returned` back unspent: both are lent no more. */
	told(spent: number, returned: number): void {
		this.#unreported -= spent
		this.#granted = Math.max(0, this.#granted - spent - returned)
	}

	/** The lease ran out: what is not told is told to no lease any more. */
	lost(): void {
		this.#granted = 0
	}
}
