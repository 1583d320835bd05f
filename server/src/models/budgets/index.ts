import { budgetOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import { paginate } from '../../platform/paging.ts'
import { BudgetLeases } from './budget-leases.ts'
import { createBudgetView } from './budget-view.ts'
import {
	budgetOrNotFound,
	changeBudget,
	createBudget,
	presentBudget,
	presentSpending,
	removeBudget,
} from './change-budgets.ts'
import type { BudgetContext, BudgetDependencies, Change } from './context.ts'
import { deleteOldCounters, listBudgets } from './repository.ts'
import { Spending } from './spending.ts'

export type { CallOutcome, Hold } from './hold.ts'
export type { CallToPay, Spending } from './spending.ts'

export interface Budgets {
	operations: BoundOperation[]
	/** For the model proxy. */
	spending: Pick<Spending, 'concerns' | 'hold' | 'counts' | 'tokensOf' | 'learn' | 'charge' | 'requireRoom'>
	/** Reports to the store what was spent by now; that happens every second anyway. */
	tell(): Promise<void>
	/** Tells what was spent, and returns what was lent. */
	close(): Promise<void>
}

/** The longest window, twice. */
const keptMs = 180 * 24 * 60 * 60 * 1000
const hourMs = 60 * 60 * 1000

/** Budgets: settings in the control store, amounts lent to this process, and what calls hold of them. */
export function openBudgets(dependencies: BudgetDependencies): Budgets {
	const { store, clock, feed, jobs } = dependencies
	const context = { ...dependencies, holder: newId() }
	const view = createBudgetView(store.db)
	feed.add(view)
	const leases = new BudgetLeases(context)
	jobs?.every('budgets.forget', hourMs, async () => {
		while (await deleteOldCounters(store.db, clock.deletionMs() - keptMs));
	})
	return {
		operations: budgetRoutes(context),
		spending: new Spending(context, view, leases),
		tell: () => leases.heartbeat(),
		close: () => leases.close(),
	}
}

function budgetRoutes(budgets: BudgetContext): BoundOperation[] {
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
