import type { Bucket, Budget } from './budget.ts'
import type { CounterKey } from './budget-repository.ts'

/**
 * What one process may spend of one budget without asking: integers, in memory, pure. `granted` is what the control store
 * lent and still counts as lent; what is settled but not reported there yet is `unreported`.
 */
class BudgetLease {
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

	/** The store has counted `spent` and taken `returned` back unspent: both are lent no more. */
	reported(spent: number, returned: number): void {
		this.#unreported -= spent
		this.#granted = Math.max(0, this.#granted - spent - returned)
	}

	/** The lease ran out: what is not reported is reported to no lease any more. */
	lost(): void {
		this.#granted = 0
	}
}

/** One budget, one who spends of it, one part of time: what this process knows and holds of that. */
export class Account {
	/** As it was last changed. */
	budget: Budget
	readonly key: CounterKey
	readonly lease = new BudgetLease()
	/** Of this process, for as long as the account lives. */
	readonly leaseId: string
	/** Until then what the store lent may be spent. */
	validUntilMs = 0
	renewedAtMs = 0
	/** What was spent between the last two heartbeats, falling by halves: what the next second may need. */
	pace = 0
	/** What waiting calls need beyond what is free. */
	wanted = 0
	/** Calls that wait for it or run under it; one without a price holds nothing, and may still come to something. */
	#calls = 0
	/** The budget is gone: nothing is counted any more. */
	gone = false
	/** What the store had left at the last check, and until when another check is not worth it. */
	leftInStore = 0
	shortUntilMs = 0
	/** Whether it was reported that the budget is exhausted. */
	reportedExhausted = false
	/** Whether another process held something at the last check. */
	heldElsewhere = false
	#syncing: Promise<void> | null = null
	#wakers: (() => void)[] = []

	constructor(budget: Budget, scopeKey: string, bucket: Bucket, leaseId: string) {
		this.budget = budget
		this.leaseId = leaseId
		this.key = { workspaceId: budget.workspaceId, budgetId: budget.id, scopeKey, ...bucket }
	}

	get idle(): boolean {
		const { granted, reserved, unreported } = this.lease
		return granted === 0 && reserved === 0 && unreported === 0 && this.wanted === 0 && this.#calls === 0
	}

	/** A call asks for something; until it leaves, the account is kept and what it settles is reported. */
	enter(): void {
		this.#calls += 1
	}

	leave(): void {
		this.#calls -= 1
	}

	/** Runs the work, or waits for the end of other work that runs; whether it was its own. */
	async sync(work: () => Promise<void>): Promise<boolean> {
		if (this.#syncing !== null) {
			await this.#syncing.catch(() => {})
			return false
		}
		this.#syncing = work().finally(() => {
			this.#syncing = null
		})
		await this.#syncing
		return true
	}

	settle(reserved: number, cost: number): void {
		this.lease.settle(reserved, cost)
		const wakers = this.#wakers
		this.#wakers = []
		for (const wake of wakers) wake()
	}

	/** Until a call settles, or the time is over. */
	settled(waitMs: number): Promise<void> {
		return new Promise((resolve) => {
			const timer = setTimeout(resolve, waitMs)
			this.#wakers.push(() => {
				clearTimeout(timer)
				resolve()
			})
		})
	}
}
