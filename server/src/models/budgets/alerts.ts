import { appendEvent } from '../../accounts/events/index.ts'
import { toIso } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import type { Account } from './account.ts'
import type { BudgetRow } from './budget.ts'
import type { BudgetContext } from './context.ts'
import { type CounterSums, noteAlert } from './repository.ts'

/** Tells once in a window of each threshold that is reached, and of the first refusal. The budget is locked. */
export async function tellAlerts(
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
