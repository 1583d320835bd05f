import { newId } from '../../platform/ids.ts'
import { Account } from './account.ts'
import { type Budget, bucketAt } from './budget.ts'
import type { BudgetContext } from './context.ts'
import { syncAccount, type Wish } from './sync-account.ts'

/** `heartbeatMs`: how often what was spent is reported to the store, and what is too much goes back. `patienceMs`: how long a
 * call waits for what others hold and may give back. */
const usual = { heartbeatMs: 1000, patienceMs: 2000 }
const renewAfterMs = 5000
/** A check of the store that found nothing is good for so long. */
const shortMs = 100
const nothing: Wish = { least: 0, need: 0, ahead: 0 }

/** All accounts of this process: promises amounts out of memory, and keeps the store in step. */
export class BudgetLeases {
	readonly #context: BudgetContext
	readonly #accounts = new Map<string, Account>()
	readonly #heartbeat: NodeJS.Timeout
	readonly #patienceMs: number
	#beating: Promise<void> | null = null

	constructor(context: BudgetContext, tuning = usual) {
		this.#context = context
		this.#patienceMs = tuning.patienceMs
		this.#heartbeat = setInterval(() => void this.heartbeat(), tuning.heartbeatMs).unref()
	}

	accountOf(budget: Budget, scopeKey: string): Account {
		const bucket = bucketAt(budget, this.#context.clock.nowMs())
		const name = `${budget.id} ${bucket.startMs} ${scopeKey}`
		const known = this.#accounts.get(name)
		if (known && !known.gone) {
			known.budget = budget
			return known
		}
		const account = new Account(budget, scopeKey, bucket, newId())
		this.#accounts.set(name, account)
		return account
	}

	/**
	 * Holds an amount: at once while what is lent suffices, else after a check of the store. False: the budget has not so
	 * much left. The budget's row in the store is judged, not the copy in memory.
	 * `own` is what the call holds already: it does not wait for itself.
	 */
	reserve(account: Account, amount: number, own = 0): boolean | Promise<boolean> {
		if (this.#take(account, amount)) return true
		return this.#wait(account, amount, own)
	}

	#take(account: Account, amount: number): boolean {
		const { purse, budget } = account
		if (!budget.hard || account.gone) {
			purse.reserveAnyway(amount)
			return true
		}
		return this.#context.clock.nowMs() < account.validUntilMs && purse.reserve(amount)
	}

	async #wait(account: Account, amount: number, own: number): Promise<boolean> {
		const { clock } = this.#context
		const deadlineMs = clock.nowMs() + this.#patienceMs
		account.wanted += amount
		try {
			for (;;) {
				const looks = clock.nowMs() >= account.shortUntilMs
				const looked = looks && (await this.#ask(account, amount))
				if (this.#take(account, amount)) return true
				if (looks && !looked) continue
				if (looked) account.shortUntilMs = clock.nowMs() + shortMs
				const mayComeBack = account.purse.reserved > own || account.heldElsewhere
				if (!mayComeBack || clock.nowMs() >= deadlineMs) break
				await account.settled(shortMs)
				if (this.#take(account, amount)) return true
			}
		} finally {
			account.wanted -= amount
		}
		if (account.toldExhausted) return false
		account.toldExhausted = true
		await this.#ask(account, amount, true)
		return this.#take(account, amount)
	}

	/** Asks the store for what is missing; false when it only waited for another question. */
	#ask(account: Account, amount: number, exhausted = false): Promise<boolean> {
		const { purse } = account
		return account.sync(() => {
			const free = this.#context.clock.nowMs() < account.validUntilMs ? purse.free : Math.min(0, purse.free)
			const least = Math.max(1, amount - free)
			const need = Math.max(least, account.wanted - free)
			const ahead = Math.max(2 * account.pace, 8 * amount)
			return syncAccount(this.#context, account, { least, need, ahead, exhausted }, 0)
		})
	}

	/** Tells the store what was spent, renews what is in use, and returns the rest. */
	heartbeat(closing = false): Promise<void> {
		this.#beating ??= this.#beatAll(closing).finally(() => {
			this.#beating = null
		})
		return this.#beating
	}

	async #beatAll(closing: boolean): Promise<void> {
		for (const [name, account] of this.#accounts) {
			try {
				await this.#beatOne(account, closing)
			} catch (error) {
				this.#context.log.warn(
					{ err: error, budget: account.budget.id },
					'budgets: spending was not written to the store',
				)
			}
			if (account.idle && this.#accounts.get(name) === account) this.#accounts.delete(name)
		}
	}

	async #beatOne(account: Account, closing: boolean): Promise<void> {
		const { purse } = account
		account.pace = Math.max(purse.unreported, Math.floor(account.pace / 2))
		const nowMs = this.#context.clock.nowMs()
		const over = closing || nowMs >= account.key.endMs
		const spare = over ? purse.free : purse.free - 2 * account.pace
		// Near its end nobody keeps what others may need.
		const tight = account.leftInStore < 4 * purse.granted
		const giveBack = spare > purse.granted / 2 || tight || over ? Math.max(0, spare) : 0
		const renew = purse.granted > 0 && nowMs - account.renewedAtMs >= renewAfterMs
		if (purse.unreported === 0 && giveBack === 0 && !renew) return
		await account.sync(() => syncAccount(this.#context, account, nothing, giveBack))
	}

	/** Reports everything and returns everything; calls that still run are reported by nobody. */
	async close(): Promise<void> {
		clearInterval(this.#heartbeat)
		await this.#beating
		await this.heartbeat(true)
	}
}
