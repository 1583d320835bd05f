import type { budgetOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/index.ts'
import { type BudgetRow, toBudget } from './budget.ts'
import { type CounterSums, listSpenders, sumCounters } from './repository.ts'
import { type Bucket, bucketAt } from './window.ts'

export type BudgetDocument = OutputOf<(typeof budgetOperations)['get']>
type State = NonNullable<BudgetDocument['state']>

/** A budget with what is spent of it, as far as processes told. */
export async function presentBudget(db: Queryable, row: BudgetRow, nowMs: number): Promise<BudgetDocument> {
	return { ...presentSettings(row), state: await stateOf(db, row, nowMs) }
}

function presentSettings(row: BudgetRow): Omit<BudgetDocument, 'state'> {
	return {
		id: row.id,
		name: row.name,
		scope: row.scope as BudgetDocument['scope'],
		scope_id: row.scope_id,
		unit: row.unit as BudgetDocument['unit'],
		limit: String(row.limit_amount),
		window: row.window_kind as BudgetDocument['window'],
		time_zone: row.time_zone,
		rolling_s: row.rolling_s,
		mode: row.mode as BudgetDocument['mode'],
		unpriced: row.unpriced as BudgetDocument['unpriced'],
		unpriced_ceiling: row.unpriced_ceiling === null ? null : String(row.unpriced_ceiling),
		thresholds: JSON.parse(row.thresholds) as number[],
		contact: row.contact,
		enabled: row.enabled === 1,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

async function stateOf(db: Queryable, row: BudgetRow, nowMs: number): Promise<State | null> {
	if (row.scope !== 'workspace' && row.scope_id === null) return null
	return stateOfSpender(db, row, '', nowMs)
}

async function stateOfSpender(
	db: Queryable,
	row: BudgetRow,
	scopeKey: string,
	nowMs: number,
): Promise<State> {
	const bucket = bucketAt(toBudget(row), nowMs)
	const key = { workspaceId: row.workspace_id, budgetId: row.id, scopeKey, ...bucket }
	return toState(row, bucket, await sumCounters(db, key), nowMs)
}

/** Who has spent of a budget in its present window, most first. */
export async function presentSpending(db: Queryable, row: BudgetRow, nowMs: number, limit: number) {
	const bucket = bucketAt(toBudget(row), nowMs)
	const key = { workspaceId: row.workspace_id, budgetId: row.id, ...bucket }
	const spending = []
	for (const scopeKey of await listSpenders(db, key, limit))
		spending.push({
			scope_id: scopeKey || row.scope_id,
			state: await stateOfSpender(db, row, scopeKey, nowMs),
		})
	return { spending }
}

function toState(
	{ limit_amount, window_kind, rolling_s }: BudgetRow,
	{ startMs, endMs }: Bucket,
	{ spent, leased, uncertain, exhaustedAt }: CounterSums,
	nowMs: number,
): State {
	const rolling = window_kind === 'rolling'
	return {
		spent: String(spent),
		reserved: String(leased),
		uncertain: String(uncertain),
		left: String(Math.max(0, limit_amount - spent - leased - uncertain)),
		window_start: toIso(rolling ? nowMs - (rolling_s ?? 0) * 1000 : startMs),
		window_end: toIso(rolling ? nowMs : endMs),
		exhausted_at: exhaustedAt === null ? null : toIso(exhaustedAt),
	}
}
