import type { BudgetScope, BudgetWindow } from '@signalbox/contract'
import type { ControlSchema } from '../../platform/database/index.ts'

export type BudgetRow = ControlSchema['budgets']

/** A budget as calls are judged by it. Amounts are nano-dollars or tokens, as `unit` says. */
export interface Budget {
	id: string
	workspaceId: string
	name: string
	scope: BudgetScope
	/** Null: each of the scope has the whole amount for itself. */
	scopeId: string | null
	unit: 'nano_usd' | 'tokens'
	limit: number
	window: BudgetWindow
	timeZone: string
	/** Of a rolling window, else 0. */
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

/** Who makes a call; '' where it is not known. */
export interface Spender {
	agentId: string
	keyId: string
	sessionId: string
	userId: string
}

/** Under which name a budget counts what a spender spends; null: it does not count it. */
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
