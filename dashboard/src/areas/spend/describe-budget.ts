import { formatCount, formatCounted, formatNanoUsd } from '../../lib/format.ts'
import { isTimeZone } from '../../lib/time-zone.ts'
import type { Budget, BudgetState } from './queries.ts'

/** An amount in the unit of its budget: dollars, or tokens. */
export function formatAmount(amount: string, unit: Budget['unit']): string {
	return unit === 'tokens' ? formatCounted(Number(amount), 'token') : formatNanoUsd(amount)
}

/** Calendar periods; a rolling one is named by its length. */
export const periods = { hour: 'Hourly', day: 'Daily', week: 'Weekly', month: 'Monthly' }

/**
 * `per agent, daily`: whose calls are counted together, and over which period. A day of another time zone than that of the page begins at
 * another time, so the zone is named. `nameOf` returns the name for an id.
 */
export function describeScope(
	{ scope, scope_id, window, rolling_s, time_zone }: Budget,
	nameOf?: (id: string) => string | undefined,
): string {
	const one = scope_id === null ? null : (nameOf?.(scope_id) ?? `one ${scope}`)
	const whose = scope === 'workspace' ? 'workspace' : (one ?? `per ${scope}`)
	if (window === 'rolling') return `${whose}, last ${formatLength(rolling_s ?? 0)}`
	const where = window === 'hour' || isTimeZone(time_zone) ? '' : ` in ${time_zone.replaceAll('_', ' ')}`
	return `${whose}, ${periods[window].toLowerCase()}${where}`
}

const lengths = [
	['day', 86_400],
	['hour', 3_600],
	['minute', 60],
	['second', 1],
] as const

/** In the largest unit of which it is an integer multiple: `7 days`. */
function formatLength(seconds: number): string {
	const [name, length] = lengths.find((unit) => seconds % unit[1] === 0) ?? lengths[3]
	const count = seconds / length
	return count === 1 ? name : `${formatCount(count)} ${name}s`
}

/** Whether nothing is left, even if no call was refused because of it yet. */
export function isUsedUp({ exhausted_at, left }: BudgetState): boolean {
	return exhausted_at !== null || left === '0'
}

/** Typed dollars (`5`, `0.25`) as nano-dollars; tokens are unchanged. Null if it is not an amount above zero. */
export function parseAmount(text: string, unit: Budget['unit']): string | null {
	const pattern = unit === 'tokens' ? /^(\d{1,16})$/ : /^(\d{1,7})(?:[.,](\d{1,9}))?$/
	const [, whole, part = ''] = text.trim().match(pattern) ?? []
	if (whole === undefined) return null
	const digits = unit === 'tokens' ? whole : `${whole}${part.padEnd(9, '0')}`
	const amount = digits.replace(/^0+/, '')
	return amount === '' ? null : amount
}

/** The amount in the form in which it is typed. */
export function typedAmount(amount: string, unit: Budget['unit']): string {
	if (unit === 'tokens') return amount
	const digits = amount.padStart(10, '0')
	const part = digits.slice(-9).replace(/0+$/, '')
	return `${digits.slice(0, -9)}${part && `.${part}`}`
}
