import { openAudit } from '../../accounts/audit/audit.ts'
import { createPriceCall } from '../../ledger/ledger.ts'
import { ChangeFeed } from '../../platform/changes.ts'
import { type Clock, manualClock } from '../../platform/clock.ts'
import { createKeyring } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { newId } from '../../platform/ids.ts'
import { silentLog } from '../../platform/log.ts'
import { createMutate } from '../../platform/mutation.ts'
import { type Budget, type BudgetRow, bucketAt, toBudget } from './budget.ts'
import { BudgetLeases } from './budget-leases.ts'
import { insertBudget, sumCounters } from './budget-repository.ts'

/** A store with a workspace, on which any number of processes spend from one budget. */
export async function stageBudget(store: ControlStore, settings: Partial<BudgetRow> = {}) {
	const clock = manualClock(Date.parse('2026-11-21T08:00:00Z'))
	const row = await addBudget(store, clock, settings)
	const budget = toBudget(row)
	return {
		clock,
		budget,
		/**
		 * Opens a process with its leases. Its heartbeats are made by the test only. `committed` runs after each of its transactions. While `isCut`,
		 * transactions are committed, but it does not learn that.
		 */
		process: (committed?: () => void, isCut?: () => boolean) => openProcess(store, clock, committed, isCut),
		enable: (enabled: boolean) =>
			store.db
				.updateTable('budgets')
				.set({ enabled: Number(enabled) })
				.where('workspace_id', '=', budget.workspaceId)
				.execute(),
		/** What the store has counted for the current window. */
		sums: (scopeKey = '') =>
			sumCounters(store.db, {
				workspaceId: budget.workspaceId,
				budgetId: budget.id,
				scopeKey,
				...bucketAt(budget, clock.nowMs()),
			}),
	}
}

async function addBudget(
	store: ControlStore,
	clock: Clock,
	settings: Partial<BudgetRow>,
): Promise<BudgetRow> {
	const at = clock.nowMs()
	const workspace_id = newId()
	const workspace = { id: workspace_id, name: 'Test', created_at: at, updated_at: at }
	await store.db.insertInto('workspaces').values(workspace).execute()
	const row: BudgetRow = {
		id: newId(),
		workspace_id,
		name: 'Team',
		scope: 'workspace',
		scope_id: null,
		unit: 'nano_usd',
		limit_amount: 1000,
		window_kind: 'day',
		time_zone: 'UTC',
		rolling_s: null,
		mode: 'hard',
		unpriced: 'deny',
		unpriced_ceiling: null,
		thresholds: '[50,100]',
		contact: '',
		enabled: 1,
		created_at: at,
		updated_at: at,
		...settings,
	}
	await store.db.transaction().execute((tx) => insertBudget(tx, row))
	return row
}

/** A process under test. One that is dropped without `close` has crashed. */
export type Process = ReturnType<typeof openProcess>

function openProcess(store: ControlStore, clock: Clock, committed = () => {}, isCut = () => false) {
	const feed = new ChangeFeed(store, silentLog, clock)
	const mutate = createMutate(store, feed)
	const audit = openAudit({ store, sealer: createKeyring([Buffer.alloc(32, 1)]), clock })
	const leases = new BudgetLeases(
		{
			store,
			feed,
			mutate: async (work) => {
				if (isCut()) {
					await store.db.transaction().execute(work)
					throw new Error('The connection was cut.')
				}
				const result = await mutate(work)
				committed()
				return result
			},
			audit,
			clock,
			log: silentLog,
			priceCall: createPriceCall(),
			holder: newId(),
		},
		{ heartbeatMs: 1_000_000, patienceMs: 0 },
	)
	return {
		leases,
		reserve: async (budget: Budget, amount: number, scopeKey = '') => {
			const account = leases.accountOf(budget, scopeKey)
			return (await leases.reserve(account, amount)) ? account : null
		},
	}
}
