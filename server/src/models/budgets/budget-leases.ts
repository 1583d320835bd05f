import { appendEvent } from '../../accounts/events/events.ts'
import { atIntervals, startTimer, toIso } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import { newId } from '../../platform/ids.ts'
import { afterCommit } from '../../platform/mutation.ts'
import { Account } from './account.ts'
import { type Bucket, type Budget, type BudgetRow, bucketAt } from './budget.ts'
import type { BudgetContext } from './budget-context.ts'
import {
	addToCounter,
	type CounterSums,
	endExpiredLeases,
	findLeaseExpiry,
	insertLease,
	lockBudget,
	noteAlert,
	sumCounters,
	updateLease,
} from './budget-repository.ts'

/** How long a process may be silent before the amounts that it holds become uncertain. */
export const leaseMs = 30_000
/** A process stops spending this much earlier, because clocks of machines differ. */
const clockSkewMs = 10_000

/** The amounts to request from the store. */
interface Wish {
	/** The smallest useful amount; 0 if nothing is requested. */
	min: number
	/** The amount that all waiting calls need. */
	need: number
	/** An additional amount for calls to come. */
	ahead: number
	/** Whether a hard budget has refused a call. */
	exhausted?: boolean
}

/**
 * Synchronizes one account with the store in one transaction: reports what was spent, returns what is not needed, renews the
 * lease, and borrows what is requested. Lent and spent amounts never exceed the limit.
 */
async function syncAccount(
	context: BudgetContext,
	account: Account,
	wish: Wish,
	giveBack: number,
): Promise<void> {
	const { lease } = account
	// Reserved, so that it is not given to a call meanwhile.
	const returned = giveBack > 0 && lease.reserve(giveBack) ? giveBack : 0
	try {
		await exchange(context, account, wish, returned)
	} finally {
		if (returned > 0) lease.settle(returned, 0)
	}
}

async function exchange(
	context: BudgetContext,
	account: Account,
	wish: Wish,
	returned: number,
): Promise<void> {
	const { unreported: spent, granted: held } = account.lease
	const startedMs = context.clock.nowMs()
	const expiresAt = account.nextExpiry(startedMs + leaseMs)
	const report: Report = { spent, held, returned, startedMs, expiresAt }
	const committing: { settle: (() => void) | null } = { settle: null }
	try {
		await context.mutate(async (tx) => {
			const result = await exchangeIn(tx, context, account, wish, report)
			const settle = () => takeOver(account, report, result)
			committing.settle = settle
			// At once, because `mutate` may still fail after the commit, and the same amounts would be reported again.
			afterCommit(tx, () => {
				committing.settle = null
				settle()
			})
		})
	} finally {
		if (committing.settle) account.doubt = { expiresAt, settle: committing.settle }
	}
}

/**
 * Finds out whether a report was committed although its commit was not answered, as when PostgreSQL is restarted. Locking the budget waits
 * for the end of that transaction.
 */
async function resolveDoubt({ mutate }: BudgetContext, account: Account): Promise<void> {
	const { doubt, key, leaseId } = account
	if (!doubt) return
	const expiresAt = await mutate(async (tx) => {
		await lockBudget(tx, key.workspaceId, key.budgetId)
		return findLeaseExpiry(tx, key.workspaceId, leaseId)
	})
	account.doubt = null
	if (expiresAt === doubt.expiresAt) doubt.settle()
	// It expired long ago, so what was lent is uncertain, and stays so because it is not known how much that was.
	else if (expiresAt === undefined) account.lease.lost()
}

/** What a process tells the store: the amounts spent and returned of what it holds. */
interface Report {
	spent: number
	held: number
	returned: number
	startedMs: number
	/** Of the lease from now on. */
	expiresAt: number
}

interface Exchanged {
	/** Whether the lease had expired. */
	ended: boolean
	lent: number
	left: number
	heldElsewhere: boolean
	/** Whether the budget is active. */
	counts: boolean
}

/** Null if the budget was deleted. */
async function exchangeIn(
	tx: DatabaseTransaction,
	context: BudgetContext,
	account: Account,
	wish: Wish,
	{ spent, held, returned, startedMs, expiresAt }: Report,
): Promise<Exchanged | null> {
	const { key } = account
	const row = await lockBudget(tx, key.workspaceId, key.budgetId)
	if (!row) return null
	await endExpiredLeases(tx, key.workspaceId, key.budgetId, startedMs)
	const kept = Math.max(0, held - spent - returned)
	const lease = { amount: kept, expires_at: expiresAt }
	const exists = await updateLease(tx, key.workspaceId, account.leaseId, lease)
	const ended = held > 0 && !exists
	await addToCounter(tx, key, {
		spent,
		leased: exists ? kept - held : 0,
		// The lease had expired and its amount was uncertain; this process is alive and reports what it spent.
		uncertain: ended ? -held : 0,
	})
	const sums = await sumCounters(tx, key)
	const left = row.limit_amount - sums.spent - sums.leased - sums.uncertain
	const lent = row.enabled === 1 ? amountToLend(wish, left) : 0
	const amount = (exists ? kept : 0) + lent
	if (lent > 0) await addToCounter(tx, key, { spent: 0, leased: lent, uncertain: 0 })
	if (!exists) await insertLease(tx, { ...newLeaseOf(context, account), amount, expires_at: expiresAt })
	else if (lent > 0) await updateLease(tx, key.workspaceId, account.leaseId, { ...lease, amount })
	await tellAlerts(tx, context, account, row, sums, wish.exhausted === true && lent === 0)
	const heldElsewhere = sums.leased + lent > amount
	return { ended, lent, left: left - lent, heldElsewhere, counts: row.enabled === 1 }
}

function takeOver(account: Account, { spent, returned, startedMs }: Report, result: Exchanged | null): void {
	const { lease } = account
	account.gone = !result?.counts
	if (!result || result.ended) lease.lost()
	lease.reported(spent, result ? returned : 0)
	if (!result) return
	lease.grant(result.lent)
	account.leftInStore = result.left
	account.heldElsewhere = result.heldElsewhere
	account.renewedAtMs = startedMs
	account.validUntilMs = startedMs + leaseMs - clockSkewMs
}

/** A lease of nothing is stored too, until it expires: it shows that a report was committed. */
function newLeaseOf({ holder }: BudgetContext, { key, leaseId }: Account) {
	const { workspaceId, budgetId, scopeKey, startMs } = key
	const of = { workspace_id: workspaceId, budget_id: budgetId, scope_key: scopeKey, bucket_start: startMs }
	return { id: leaseId, holder, ...of }
}

/**
 * Everything that is needed plus at most an eighth of the rest, so that no process holds what others need; otherwise what is
 * left.
 */
function amountToLend({ min, need, ahead }: Wish, left: number): number {
	if (min <= 0 || left < min) return 0
	const wanted = need + Math.min(ahead, Math.floor(left / 8))
	return Math.min(wanted, left)
}

/** Sends one notification per window for each threshold reached and for the first refusal. The budget must be locked. */
async function tellAlerts(
	tx: DatabaseTransaction,
	context: BudgetContext,
	{ key }: Account,
	row: BudgetRow,
	sums: CounterSums,
	exhausted: boolean,
): Promise<void> {
	const tell = (name: string, percent: number) =>
		appendEvent(
			tx,
			{
				workspaceId: row.workspace_id,
				type: `budget.${name}`,
				data: {
					budget: { id: row.id, name: row.name },
					scope: row.scope,
					scope_id: row.scope_id ?? (key.scopeKey || null),
					unit: row.unit,
					limit: String(row.limit_amount),
					spent: String(sums.spent),
					percent,
					window_start: toIso(Math.max(key.startMs, key.countedFromMs)),
					window_end: toIso(key.endMs),
				},
			},
			context.clock,
		)
	const thresholds = JSON.parse(row.thresholds) as number[]
	const reached = thresholds.filter(
		(percent) => percent > sums.alerted && sums.spent >= Math.ceil((row.limit_amount / 100) * percent),
	)
	for (const percent of reached) await tell('threshold', percent)
	const alerted = reached.at(-1)
	if (alerted !== undefined) await noteAlert(tx, key, { alerted })
	if (!exhausted || sums.exhaustedAt !== null) return
	await tell('exhausted', 100)
	await noteAlert(tx, key, { exhausted_at: context.clock.nowMs() })
}

/**
 * `heartbeatMs`: interval at which spending is reported to the store and unneeded amounts are returned. `patienceMs`: how long a
 * call waits for amounts that other processes hold and may return.
 */
const usual = { heartbeatMs: 1000, patienceMs: 2000 }
const renewAfterMs = 5000
/** How long the result "nothing left" of a check of the store is valid. Not longer if the clock is set back. */
const shortMs = 100
const nothing: Wish = { min: 0, need: 0, ahead: 0 }

/** All accounts of this process: reserves amounts in memory and keeps the store in sync. */
export class BudgetLeases {
	readonly #context: BudgetContext
	readonly #accounts = new Map<string, Account>()
	/** The current bucket of each budget, and the prefix of its accounts' names. */
	readonly #present = new WeakMap<Budget, { bucket: Bucket; name: string }>()
	readonly #stopHeartbeat: () => void
	readonly #patienceMs: number
	#renewing: Promise<void> | null = null

	constructor(context: BudgetContext, tuning = usual) {
		this.#context = context
		this.#patienceMs = tuning.patienceMs
		this.#stopHeartbeat = atIntervals(tuning.heartbeatMs, () => void this.heartbeat())
	}

	accountOf(budget: Budget, scopeKey: string): Account {
		const { bucket, name: start } = this.#presentOf(budget)
		const name = start + scopeKey
		const known = this.#accounts.get(name)
		if (known) {
			// A budget that was switched off and on again still has to report what its running calls cost.
			known.gone = false
			known.reportedExhausted &&= budget.limit <= known.budget.limit
			known.budget = budget
			return known
		}
		const account = new Account(budget, scopeKey, bucket, newId())
		this.#accounts.set(name, account)
		return account
	}
	#presentOf(budget: Budget): { bucket: Bucket; name: string } {
		const nowMs = this.#context.clock.nowMs()
		const known = this.#present.get(budget)
		if (known && known.bucket.startMs <= nowMs && nowMs < known.bucket.endMs) return known
		const bucket = bucketAt(budget, nowMs)
		const present = { bucket, name: `${budget.id} ${bucket.startMs} ` }
		this.#present.set(budget, present)
		return present
	}

	/**
	 * Reserves an amount: at once if the lent amount suffices, otherwise after reading the store. False if the budget does not
	 * have enough left. The budget's row in the store is decisive, not the copy in memory.
	 * `own` is what the call has already reserved, for which it must not wait.
	 */
	reserve(account: Account, amount: number, own = 0): boolean | Promise<boolean> {
		if (this.#take(account, amount)) return true
		return this.#wait(account, amount, own)
	}

	#take(account: Account, amount: number): boolean {
		const { lease, budget } = account
		if (!budget.hard || account.gone) {
			lease.reserveAnyway(amount)
			return true
		}
		return account.isValid(this.#context.clock.nowMs()) && lease.reserve(amount)
	}

	async #wait(account: Account, amount: number, own: number): Promise<boolean> {
		const { clock } = this.#context
		const waitedMs = startTimer()
		account.wanted += amount
		try {
			for (;;) {
				const looks = Math.abs(clock.nowMs() - account.shortAtMs) >= shortMs
				const looked = looks && (await this.#ask(account, amount))
				if (this.#take(account, amount)) return true
				if (looks && !looked) continue
				if (looked) account.shortAtMs = clock.nowMs()
				const mayComeBack = account.lease.reserved > own || account.heldElsewhere
				if (!mayComeBack || waitedMs() >= this.#patienceMs) break
				await account.settled(shortMs)
				if (this.#take(account, amount)) return true
			}
		} finally {
			account.wanted -= amount
		}
		if (account.reportedExhausted) return false
		account.reportedExhausted = true
		await this.#ask(account, amount, true)
		return this.#take(account, amount)
	}

	/** Borrows the missing amount from the store. False if it only waited for another read. */
	#ask(account: Account, amount: number, exhausted = false): Promise<boolean> {
		const { lease } = account
		return account.sync(async () => {
			await resolveDoubt(this.#context, account)
			const free = account.isValid(this.#context.clock.nowMs()) ? lease.free : Math.min(0, lease.free)
			const min = Math.max(1, amount - free)
			const need = Math.max(min, account.wanted - free)
			const ahead = Math.max(2 * account.pace, 8 * amount)
			await syncAccount(this.#context, account, { min, need, ahead, exhausted }, 0)
		})
	}

	/** Reports spending, renews leases in use, and returns the rest. */
	heartbeat(closing = false): Promise<void> {
		this.#renewing ??= this.#reportAll(closing).finally(() => {
			this.#renewing = null
		})
		return this.#renewing
	}

	async #reportAll(closing: boolean): Promise<void> {
		for (const [name, account] of this.#accounts) {
			try {
				// At the end again, if it only waited for what another read of the store reported.
				while (!(await this.#reportOne(account, closing)) && closing) await account.quiet()
			} catch (error) {
				this.#context.log.warn(
					{ err: error, budget: account.budget.id },
					'budgets: spending was not written to the store',
				)
			}
			if (account.idle && this.#accounts.get(name) === account) this.#accounts.delete(name)
		}
	}

	/** False if another read of the store was running. */
	async #reportOne(account: Account, closing: boolean): Promise<boolean> {
		const { lease } = account
		if (account.doubt) await account.sync(() => resolveDoubt(this.#context, account))
		account.pace = Math.max(lease.unreported, Math.floor(account.pace / 2))
		const nowMs = this.#context.clock.nowMs()
		const over = closing || nowMs >= account.key.endMs
		const spare = over ? lease.free : lease.free - 2 * account.pace
		// Near the end of the budget, nothing is kept that other processes may need.
		const tight = account.leftInStore < 4 * lease.granted
		const giveBack = spare > lease.granted / 2 || tight || over ? Math.max(0, spare) : 0
		const renew = lease.granted > 0 && Math.abs(nowMs - account.renewedAtMs) >= renewAfterMs
		if (lease.unreported === 0 && giveBack === 0 && !renew) return !account.isSyncing
		return account.sync(() => syncAccount(this.#context, account, nothing, giveBack))
	}

	/** Reports and returns everything. Calls that still run are not reported any more. */
	async close(): Promise<void> {
		this.#stopHeartbeat()
		await this.#renewing
		await this.heartbeat(true)
	}
}
