import type { View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/database.ts'
import { type Budget, toBudget } from './budget.ts'
import { listBudgetsForView } from './budget-repository.ts'

/** The active budgets, in memory. */
export interface BudgetView {
	of(workspaceId: string): readonly Budget[]
}

const none: readonly Budget[] = []

export function createBudgetView(db: Database): BudgetView & View {
	let byWorkspace = new Map<string, readonly Budget[]>()
	const replace = (workspaceId: string, id: string, found?: Budget) => {
		const others = (byWorkspace.get(workspaceId) ?? none).filter((budget) => budget.id !== id)
		byWorkspace.set(workspaceId, found ? [...others, found] : others)
	}
	return {
		kinds: ['budget'],
		load: async () => {
			byWorkspace = Map.groupBy((await listBudgetsForView(db)).map(toBudget), (budget) => budget.workspaceId)
		},
		apply: async (_kind, id) => {
			const [row] = await listBudgetsForView(db, id)
			if (row) return replace(row.workspace_id, id, toBudget(row))
			for (const workspaceId of byWorkspace.keys()) replace(workspaceId, id)
		},
		of: (workspaceId) => byWorkspace.get(workspaceId) ?? none,
	}
}
