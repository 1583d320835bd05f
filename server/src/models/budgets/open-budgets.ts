import type { BoundOperation } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import { BudgetLeases } from './budget-leases.ts'
import { createBudgetView } from './budget-view.ts'
import type { BudgetDependencies } from './context.ts'
import { deleteOldCounters } from './repository.ts'
import { budgetRoutes } from './routes.ts'
import { Spending } from './spending.ts'

export interface Budgets {
	operations: BoundOperation[]
	/** For the model proxy. */
	spending: Pick<Spending, 'concerns' | 'hold' | 'counts' | 'tokensOf' | 'learn' | 'charge' | 'requireRoom'>
	/** Tells the store what was spent by now; it is told every second anyway. */
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
	const treasury = new BudgetLeases(context)
	jobs?.every('budgets.forget', hourMs, async () => {
		while (await deleteOldCounters(store.db, clock.deletionMs() - keptMs));
	})
	return {
		operations: budgetRoutes(context),
		spending: new Spending(context, view, treasury),
		tell: () => treasury.beat(),
		close: () => treasury.close(),
	}
}
