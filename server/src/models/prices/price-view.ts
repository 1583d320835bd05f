import type { FindOwnPrice } from '../../ledger/index.ts'
import type { View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import { OwnPrices } from './own-prices.ts'
import { listPricesForView, type PriceRow } from './repository.ts'

export interface PriceView extends View {
	find: FindOwnPrice
	/** Those of a workspace, for another thread. */
	rowsOf(workspaceId: string): readonly PriceRow[]
}

const none: readonly PriceRow[] = []

/** The prices that workspaces set, in memory. */
export function createPriceView(db: Database): PriceView {
	let rows: PriceRow[] = []
	let byWorkspace = new Map<string, PriceRow[]>()
	let prices = new OwnPrices([])
	const set = (next: PriceRow[]) => {
		rows = next
		byWorkspace = Map.groupBy(rows, ({ workspace_id }) => workspace_id)
		prices = new OwnPrices(rows)
	}
	return {
		kinds: ['price'],
		load: async () => set(await listPricesForView(db)),
		apply: async (_kind, id) => {
			const changed = await listPricesForView(db, id)
			set([...rows.filter((row) => row.id !== id), ...changed])
		},
		find: (question) => prices.find(question),
		rowsOf: (workspaceId) => byWorkspace.get(workspaceId) ?? none,
	}
}
