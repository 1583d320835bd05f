import type { Bucket, Budget } from './budget.ts'
import type { CounterKey } from './budget-repository.ts'

/**
 * What one process may spend of one budget without a read of the store: integers in memory, without I/O. `granted` is the amount
 * lent by the control store and still counted as lent; `unreported` is settled but not yet reported there.
 */
class BudgetLease {
	#granted = 0
	#reserved = 0
	#unreported = 0

	/** The amount available to another call; negative if calls cost more than was reserved for them. */
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

	/** Adds an amount that the store has lent. */
	grant(amount: number): void {
		this.#granted += amount
	}

	/** Reserves an amount for a call; false if it is not available. */
	reserve(amount: number): boolean {
		if (amount > this.free) return false
		this.#reserved += amount
		return true
	}

	/** Reserves an amount in any case: for soft budgets. */
	reserveAnyway(amount: number): void {
		this.#reserved += amount
	}

	/** Ends a call's reservation and records its cost as spent. */
	settle(reserved: number, cost: number): void {
		this.#reserved -= reserved
		this.#unreported += cost
	}

	/** The store has counted `spent` and taken `returned` back unspent: neither is lent any more. */
	reported(spent: number, returned: number): void {
		this.#unreported -= spent
		this.#granted = Math.max(0, this.#granted - spent - returned)
	}

	/** The lease has expired: unreported amounts no longer belong to any lease. */
	lost(): void {
		this.#granted = 0
	}
}

/** This many reports in the same millisecond can be distinguished. */
const distinctReports = 8

/** A report to the store whose commit was not answered. */
interface Doubt {
	/** In the lease, if the report was committed. */
	expiresAt: number
	/** Takes over its result. */
	settle: () => void
}

/** The state of one budget in this process, for one spender and one bucket of time. */
export class Account {
	/** The current version. */
	budget: Budget
	readonly key: CounterKey
	readonly lease = new BudgetLease()
	/** Belongs to this process, for the account's whole life. */
	readonly leaseId: string
	/** Until then the lent amount may be spent. */
	validUntilMs = 0
	renewedAtMs = 0
	/** The amount spent per heartbeat, halved with each one: an estimate of the next second's need. */
	pace = 0
	/** The amount that waiting calls need beyond what is free. */
	wanted = 0
	/** Calls that wait for the account or run under it. A call without a price reserves nothing, but may still have a cost. */
	#calls = 0
	/** The budget was deleted: nothing is counted any more. */
	gone = false
	/** What the store had left at the last check, and when that was too little. */
	leftInStore = 0
	shortAtMs = 0
	/** Whether it was reported that the budget is exhausted. */
	reportedExhausted = false
	/** Whether another process held an amount at the last check. */
	heldElsewhere = false
	/** Until it is resolved, it is unknown what is lent, and what was counted. */
	doubt: Doubt | null = null
	#reports = 0
	#syncing: Promise<void> | null = null
	#wakers: (() => void)[] = []

	constructor(budget: Budget, scopeKey: string, bucket: Bucket, leaseId: string) {
		this.budget = budget
		this.leaseId = leaseId
		this.key = { workspaceId: budget.workspaceId, budgetId: budget.id, scopeKey, ...bucket }
	}

	get idle(): boolean {
		const { granted, reserved, unreported } = this.lease
		const isUsed = this.wanted > 0 || this.#calls > 0 || this.doubt !== null
		return granted === 0 && reserved === 0 && unreported === 0 && !isUsed
	}

	/** Whether the lent amount may be spent. After the clock was set back, it is unknown until when. */
	isValid(nowMs: number): boolean {
		return this.doubt === null && this.renewedAtMs <= nowMs && nowMs < this.validUntilMs
	}

	/** When the lease of the next report expires: another time than that of the reports before it, so that it can be recognised. */
	nextExpiry(fromMs: number): number {
		this.#reports = (this.#reports + 1) % distinctReports
		return fromMs - this.#reports
	}

	/** A call enters. Until it leaves, the account is kept, and what it settles is reported. */
	enter(): void {
		this.#calls += 1
	}

	leave(): void {
		this.#calls -= 1
	}

	/** Runs the work, or waits for the end of other work that is running. Resolves with whether its own work ran. */
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

	get isSyncing(): boolean {
		return this.#syncing !== null
	}

	/** Resolves when no work runs. */
	async quiet(): Promise<void> {
		await this.#syncing?.catch(() => {})
	}

	settle(reserved: number, cost: number): void {
		this.lease.settle(reserved, cost)
		const wakers = this.#wakers
		this.#wakers = []
		for (const wake of wakers) wake()
	}

	/** Resolves when a call settles, or after `waitMs`. */
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
