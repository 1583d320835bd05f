import { toIso } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import type { Account } from './account.ts'
import type { Budget } from './budget.ts'

/**
 * Refuses a call for which a budget has not enough left: which one, what is left, when it renews, who can help.
 * `unlimited`: it did not say how long its answer may become.
 */
export function exhausted(
	{ budget, key, leftInStore, purse }: Account,
	needed: number,
	nowMs: number,
	unlimited: boolean,
): Problem {
	const left = Math.max(0, leftInStore + Math.max(0, purse.free))
	const renews = budget.window === 'rolling' ? 'Parts of it come back from' : 'It renews at'
	const detail = [
		`The budget “${budget.name}” (${amountOf(budget, budget.limit)} ${windowOf(budget)}) has ${amountOf(budget, left)} left;`,
		`this call may need ${amountOf(budget, needed)}.`,
		...(unlimited ? ['A call that limits its answer (max_tokens) needs less.'] : []),
		`${renews} ${minuteOf(key.endMs)}.`,
		helpOf(budget),
	]
	const retryAfterS = Math.max(1, Math.ceil((key.endMs - nowMs) / 1000))
	return new Problem('budget_exhausted', detail.join(' '), { retryAfterS })
}

/** Ends a running answer. */
export function stopped({ budget, key }: Account): Problem {
	const detail = `The budget “${budget.name}” (${amountOf(budget, budget.limit)} ${windowOf(budget)}) was used up while this answer was written. It renews at ${minuteOf(key.endMs)}. ${helpOf(budget)}`
	return new Problem('budget_exhausted', detail)
}

export function unpriced(budget: Budget, model: string): Problem {
	const detail = `There is no price for ${model || 'a call that names no model'}, and the budget “${budget.name}” lets only priced models pass. ${helpOf(budget)}`
	return new Problem('model_unpriced', detail)
}

function helpOf({ contact }: Budget): string {
	return contact ? `Ask ${contact}.` : 'An admin of the workspace can raise it.'
}

function windowOf({ window, rollingMs }: Budget): string {
	return window === 'rolling' ? `in any ${lengthOf(rollingMs / 1000)}` : `per ${window}`
}

/** Dollars to the last digit that counts, or tokens. */
function amountOf({ unit }: Budget, amount: number): string {
	if (unit === 'tokens') return `${amount} tokens`
	const whole = Math.floor(amount / 1_000_000_000)
	const fraction = String(amount % 1_000_000_000)
		.padStart(9, '0')
		.replace(/0{1,7}$/, '')
	return `$${whole}.${fraction}`
}

/** For people to read: `2026-11-22 05:00 UTC`. */
function minuteOf(ms: number): string {
	return `${toIso(ms).slice(0, 16).replace('T', ' ')} UTC`
}

/** In days or hours where it is whole ones: `7 days`, `36 h`. */
function lengthOf(seconds: number): string {
	const days = seconds / 86_400
	if (Number.isInteger(days)) return days === 1 ? '1 day' : `${days} days`
	return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${seconds} s`
}
