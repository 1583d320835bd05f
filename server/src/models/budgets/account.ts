import type { Budget } from './budget.ts'
import { BudgetLease } from './budget-lease.ts'
import type { CounterKey } from './repository.ts'
import type { Bucket } from './window.ts'

/** One budget, one who spends of it, one part of time: what this process knows and holds of that. */
export class Account {
	/** As it was last changed. */
	budget: Budget
	readonly key: CounterKey
	readonly purse = new BudgetLease()
	/** Of this process, for as long as the account lives. */
	readonly leaseId: string
	/** Until then what the store lent may be spent. */
	validUntilMs = 0
	renewedAtMs = 0
	/** What was spent between the last two beats, falling by halves: what the next second may need. */
	pace = 0
	/** What waiting calls need beyond what is free. */
	wanted = 0
	/** The budget is gone: nothing is counted any more. */
	gone = false
	/** What the store had left at the last look, and until when another look is not worth it. */
	leftInStore = 0
	shortUntilMs = 0
	/** Whether it was told that the budget is exhausted. */
	toldExhausted = false
	/** Whether another process held something at the last look. */
	heldElsewhere = false
	#syncing: Promise<void> | null = null
	#wakers: (() => void)[] = []

	constructor(budget: Budget, scopeKey: string, bucket: Bucket, leaseId: string) {
		this.budget = budget
		this.leaseId = leaseId
		this.key = { workspaceId: budget.workspaceId, budgetId: budget.id, scopeKey, ...bucket }
	}

	get idle(): boolean {
		const { granted, reserved, unreported } = this.purse
		return granted === 0 && reserved === 0 && unreported === 0 && this.wanted === 0
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
		this.purse.settle(reserved, cost)
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
