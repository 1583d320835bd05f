import { toIso } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import type { Account } from './account.ts'
import type { Budget } from './budget.ts'
import type { BudgetLeases } from './budget-leases.ts'

/** What a call used and cost. */
export interface CallOutcome {
	/** Null if unpriced or unknown. */
	costNanoUsd: bigint | null
	/** Input and output tokens; null if unknown. */
	tokens: { input: number; output: number } | null
	/** Whether the tokens were reported by the provider. */
	reported: boolean
}

/** The reservation in one account for one call. */
export interface Part {
	account: Account
	reserved: number
	/** The part for the output. */
	reservedForOutput: number
	/** The amount for a thousand output tokens. */
	perThousand: number
}

/**
 * Assumed bytes of text per token. A smaller value would reserve more; a larger one would let answers exceed their reservation.
 */
const bytesPerToken = 3
/** A budget with this many times an amount left is far from its end, although other calls use it meanwhile. */
const farTimes = 8

/** The reservations for one call, in all its budgets, until it settles. */
export class Hold {
	readonly #leases: BudgetLeases
	readonly #parts: readonly Part[]
	readonly #learn: (outcome: CallOutcome) => void
	/** `returned`: nothing is reserved any more, but what the call used may still be charged. */
	#state: 'open' | 'returned' | 'over' = 'open'

	constructor(leases: BudgetLeases, parts: readonly Part[], learn: (outcome: CallOutcome) => void) {
		this.#leases = leases
		this.#parts = parts
		this.#learn = learn
	}

	/** Ends the reservations with what the call used. Only the first end counts. */
	settle(outcome: CallOutcome): void {
		if (this.#end(({ account, reserved }) => costIn(account, reserved, outcome))) this.#learn(outcome)
	}

	/** Ends the reservations of a call that costs nothing. */
	release(): void {
		this.#end(() => 0)
	}

	/** Returns what is reserved while the call looks for another target. It settles later if there is none. */
	giveBack(): void {
		if (this.#state !== 'open') return
		this.#state = 'returned'
		for (const { account, reserved } of this.#parts) account.settle(reserved, 0)
	}

	#end(costOf: (part: Part) => number): boolean {
		if (this.#state === 'over') return false
		const isReserved = this.#state === 'open'
		this.#state = 'over'
		for (const part of this.#parts) {
			part.account.settle(isReserved ? part.reserved : 0, costOf(part))
			part.account.leave()
		}
		return true
	}

	/**
	 * Called when an answer has grown to this many bytes of text. Null: enough is reserved. Otherwise the answer must wait for
	 * the promise, and a Problem ends it.
	 */
	progress(generatedBytes: number): Promise<Problem | null> | null {
		const tokens = Math.ceil(generatedBytes / bytesPerToken)
		for (const part of this.#parts) {
			if (!part.account.budget.hard) continue
			const needed = Math.ceil((tokens * part.perThousand) / 1000)
			if (needed <= part.reservedForOutput) continue
			const grown = this.#grow(part, needed)
			if (grown !== true) return this.#decide(grown, part, generatedBytes)
		}
		return null
	}

	/**
	 * Reserves twice the current need, so that a long answer reads the store rarely; near the end of the budget just the need.
	 */
	#grow(part: Part, needed: number): boolean | Promise<boolean> {
		const { account, reserved, reservedForOutput } = part
		const missing = needed - reservedForOutput
		const twice = missing + needed
		const isFar = account.lease.free >= twice || account.leftInStore > farTimes * twice
		const wanted = isFar ? twice : missing
		const held = this.#leases.reserve(account, wanted, reserved)
		if (held === true) this.#add(part, wanted)
		return typeof held === 'boolean' ? held : held.then((got) => this.#added(part, wanted, got))
	}

	#added(part: Part, amount: number, got: boolean): boolean {
		if (got && this.#state === 'open') this.#add(part, amount)
		else if (got) part.account.settle(amount, 0)
		return got
	}

	#add(part: Part, amount: number): void {
		part.reserved += amount
		part.reservedForOutput += amount
	}

	async #decide(
		grown: boolean | Promise<boolean>,
		part: Part,
		generatedBytes: number,
	): Promise<Problem | null> {
		if (!(await grown)) return stopped(part.account)
		return this.#state === 'open' ? this.progress(generatedBytes) : null
	}
}

/** What a call takes of an account. If that is unknown: what was reserved for it. */
export function costIn({ budget }: Account, reserved: number, { costNanoUsd, tokens }: CallOutcome): number {
	if (budget.unit === 'tokens') return tokens ? tokens.input + tokens.output : reserved
	if (costNanoUsd !== null) return Number(costNanoUsd)
	return budget.unpriced === 'allow' ? 0 : budget.unpriced === 'ceiling' ? budget.unpricedCeiling : reserved
}

/**
 * The refusal of a call for which a budget does not have enough left: which budget, what is left, when it renews, who can help.
 * It has no Retry-After, because Codex waits for as long as that says, hours here, without showing the refusal.
 * `unlimited`: the call did not limit the length of its answer.
 */
export function exhausted(
	{ budget, key, leftInStore, lease }: Account,
	needed: number,
	unlimited: boolean,
): Problem {
	const left = Math.max(0, leftInStore + Math.max(0, lease.free))
	const detail = [
		`The budget “${budget.name}” (${amountOf(budget, budget.limit)} ${windowOf(budget)}) has ${amountOf(budget, left)} left;`,
		`this call may need ${amountOf(budget, needed)}.`,
		...(unlimited ? ['A call that limits its answer (max_tokens) needs less.'] : []),
		renewalOf(budget, key.endMs),
		helpOf(budget),
	]
	return new Problem('budget_exhausted', detail.join(' '))
}

/** The problem that ends a running answer. */
function stopped({ budget, key }: Account): Problem {
	const detail = `The budget “${budget.name}” (${amountOf(budget, budget.limit)} ${windowOf(budget)}) was used up while this answer was written. ${renewalOf(budget, key.endMs)} ${helpOf(budget)}`
	return new Problem('budget_exhausted', detail)
}

export function unpriced(budget: Budget, model: string): Problem {
	const detail = `There is no price for ${model || 'a call that names no model'}, and the budget “${budget.name}” lets only priced models pass. ${helpOf(budget, 'set a price, or let the budget allow unpriced models')}`
	return new Problem('model_unpriced', detail)
}

function renewalOf({ window }: Budget, endMs: number): string {
	return `${window === 'rolling' ? 'Parts of it come back from' : 'It renews at'} ${minuteOf(endMs)}.`
}

function helpOf({ contact }: Budget, remedy = 'raise it'): string {
	return contact ? `Ask ${contact}.` : `An admin of the workspace can ${remedy}.`
}

function windowOf({ window, rollingMs }: Budget): string {
	return window === 'rolling' ? `in any ${lengthOf(rollingMs / 1000)}` : `per ${window}`
}

/** Dollars to the last significant digit, or tokens. */
function amountOf({ unit }: Budget, amount: number): string {
	if (unit === 'tokens') return amount === 1 ? '1 token' : `${amount} tokens`
	const whole = Math.floor(amount / 1_000_000_000)
	const fraction = String(amount % 1_000_000_000)
		.padStart(9, '0')
		.replace(/0{1,7}$/, '')
	return `$${whole}.${fraction}`
}

/** For display: `2026-11-22 05:00 UTC`. */
function minuteOf(ms: number): string {
	return `${toIso(ms).slice(0, 16).replace('T', ' ')} UTC`
}

/** In days or hours if it is a whole number of them: `7 days`, `36 h`. */
function lengthOf(seconds: number): string {
	const days = seconds / 86_400
	if (Number.isInteger(days)) return days === 1 ? '1 day' : `${days} days`
	return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${seconds} s`
}
