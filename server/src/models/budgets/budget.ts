import type { BudgetScope, BudgetWindow } from '@signalbox/contract'
import type { ControlSchema } from '../../platform/database/schema.ts'

/** A period that is counted separately, and the start of the window that ends with it. */
export interface Bucket {
	startMs: number
	endMs: number
	/** Buckets that end after this and start before `countedToMs` belong to the window. */
	countedFromMs: number
	countedToMs: number
}

/** A rolling window moves in this many steps, so it may count up to one step too much. */
const stepsOfRolling = 24
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The bucket of a point in time: a whole calendar window, or a step of a rolling one. */
export function bucketAt(
	{ window, timeZone, rollingMs }: Pick<Budget, 'window' | 'timeZone' | 'rollingMs'>,
	nowMs: number,
): Bucket {
	if (window === 'rolling') {
		const stepMs = Math.max(1000, Math.ceil(rollingMs / stepsOfRolling))
		const startMs = Math.floor(nowMs / stepMs) * stepMs
		// Without an end: what a long answer still needs must be left now, not only when it began.
		const [countedFromMs, countedToMs] = [startMs - rollingMs, Number.MAX_SAFE_INTEGER]
		return { startMs, endMs: startMs + stepMs, countedFromMs, countedToMs }
	}
	const [startMs, endMs] = calendarWindow(window, timeZone, nowMs)
	return { startMs, endMs, countedFromMs: startMs, countedToMs: endMs }
}

function calendarWindow(
	window: 'hour' | 'day' | 'week' | 'month',
	timeZone: string,
	nowMs: number,
): [startMs: number, endMs: number] {
	// Local time represented as if it were UTC, in which whole hours, days and months can be computed.
	const local = nowMs + offsetAt(timeZone, nowMs)
	if (window === 'hour') {
		const startMs = nowMs - (local % hourMs)
		return [startMs, startMs + hourMs]
	}
	const [start, end] = localWindow(window, local)
	return [toInstant(timeZone, start), toInstant(timeZone, end)]
}

function localWindow(window: 'day' | 'week' | 'month', local: number): [number, number] {
	const day = Math.floor(local / dayMs) * dayMs
	if (window === 'day') return [day, day + dayMs]
	const date = new Date(day)
	if (window === 'week') {
		const monday = day - ((date.getUTCDay() + 6) % 7) * dayMs
		return [monday, monday + 7 * dayMs]
	}
	const month = (add: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + add, 1)
	return [month(0), month(1)]
}

/**
 * The instant of a local time. The second offset is needed on days with a change of the clock. A time that the clock leaves out, as some
 * countries do with midnight, is the instant at which it changes: the later one, since the earlier is still before the change.
 */
function toInstant(timeZone: string, local: number): number {
	const guess = local - offsetAt(timeZone, local)
	const found = local - offsetAt(timeZone, guess)
	return found + offsetAt(timeZone, found) === local ? found : Math.max(found, guess)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The offset of local time from UTC, in milliseconds. Throws RangeError for an unknown zone. */
export function offsetAt(timeZone: string, atMs: number): number {
	if (timeZone === 'UTC') return 0
	let format = formats.get(timeZone)
	if (!format) {
		format = new Intl.DateTimeFormat('en-US', {
			timeZone,
			hourCycle: 'h23',
			year: 'numeric',
			month: 'numeric',
			day: 'numeric',
			hour: 'numeric',
			minute: 'numeric',
			second: 'numeric',
		})
		formats.set(timeZone, format)
	}
	const part = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
	const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
	const local = Date.UTC(year, month - 1, day, hour, minute, second)
	return local - Math.floor(atMs / 1000) * 1000
}

export type BudgetRow = ControlSchema['budgets']

/** A budget in the form used to check calls. Amounts are nano-dollars or tokens, according to `unit`. */
export interface Budget {
	id: string
	workspaceId: string
	name: string
	scope: BudgetScope
	/** Null: each member of the scope has the whole amount for itself. */
	scopeId: string | null
	unit: 'nano_usd' | 'tokens'
	limit: number
	window: BudgetWindow
	timeZone: string
	/** The length of a rolling window, otherwise 0. */
	rollingMs: number
	hard: boolean
	unpriced: 'deny' | 'allow' | 'ceiling'
	unpricedCeiling: number
	/** Ascending. */
	thresholds: readonly number[]
	contact: string
}

export function toBudget(row: BudgetRow): Budget {
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		name: row.name,
		scope: row.scope as BudgetScope,
		scopeId: row.scope_id,
		unit: row.unit as Budget['unit'],
		limit: row.limit_amount,
		window: row.window_kind as BudgetWindow,
		timeZone: row.time_zone,
		rollingMs: (row.rolling_s ?? 0) * 1000,
		hard: row.mode === 'hard',
		unpriced: row.unpriced as Budget['unpriced'],
		unpricedCeiling: row.unpriced_ceiling ?? 0,
		thresholds: JSON.parse(row.thresholds) as number[],
		contact: row.contact,
	}
}

/** Who makes a call; '' for unknown parts. */
export interface Spender {
	agentId: string
	keyId: string
	sessionId: string
	userId: string
}

/** The name under which a budget counts a spender; null if it does not count them. */
export function scopeKeyOf({ scope, scopeId }: Budget, spender: Spender): string | null {
	if (scope === 'workspace') return ''
	const own = {
		agent: spender.agentId,
		key: spender.keyId,
		session: spender.sessionId,
		user: spender.userId,
	}[scope]
	if (own === '') return null
	if (scopeId === null) return own
	return scopeId === own ? '' : null
}
