import { budgetOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { paginate } from '../../platform/paging.ts'
import { budgetOrNotFound, changeBudget, createBudget, removeBudget } from './change-budgets.ts'
import type { BudgetContext, Change } from './context.ts'
import { presentBudget, presentSpending } from './present-budget.ts'
import { listBudgets } from './repository.ts'

export function budgetRoutes(budgets: BudgetContext): BoundOperation[] {
	const { store, clock } = budgets
	return bind(budgetOperations, {
		list: async ({ query, context }) => {
			const { rows, total } = await listBudgets(store.db, principalIn(context).workspaceId, query)
			const shown = rows.map((row) => presentBudget(store.db, row, clock.nowMs()))
			return { budgets: await Promise.all(shown), pagination: paginate(query, total) }
		},
		create: ({ body, context }) => createBudget(budgets, changeBy(context), body),
		get: async ({ params, context }) => {
			const row = await budgetOrNotFound(store.db, principalIn(context).workspaceId, params.id)
			return presentBudget(store.db, row, clock.nowMs())
		},
		update: ({ params, body, context }) => changeBudget(budgets, changeBy(context), params.id, body),
		delete: async ({ params, context }) => void (await removeBudget(budgets, changeBy(context), params.id)),
		spending: async ({ params, query, context }) => {
			const row = await budgetOrNotFound(store.db, principalIn(context).workspaceId, params.id)
			return presentSpending(store.db, row, clock.nowMs(), query.limit)
		},
	})
}

function changeBy(context: RequestContext): Change {
	return { principal: principalIn(context), requestId: context.requestId }
}
