import { ledgerOperations, priceDimensions, priceOperations } from '@signalbox/contract'
import { bundledTable, createPriceCall, type Dimension, type PriceCall } from '../../ledger/index.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { paginate } from '../../platform/paging.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import { type Change, createPrice, type PriceContext, setEnd } from './change-prices.ts'
import { readLedger } from './list-ledger.ts'
import type { OwnPriceRow } from './own-prices.ts'
import { presentPrice, presentUnpriced } from './present-price.ts'
import { createPriceView } from './price-view.ts'
import { listPrices, listUnpriced } from './repository.ts'
import { readVersions } from './reprice/read-versions.ts'
import { reprice } from './reprice/reprice.ts'

export interface PriceDependencies extends PriceContext {
	feed: ChangeFeed
	telemetry: Pick<TelemetryStore, 'query' | 'command'>
	sealer: Sealer
}

export interface Prices {
	operations: BoundOperation[]
	/** Prices calls by what their workspace set, else by the table that comes with the program. */
	priceCall: PriceCall
	/** The prices that a workspace set, as they are stored. */
	ownPricesOf(workspaceId: string): readonly OwnPriceRow[]
}

/** Prices that workspaces set themselves, and the ledger that they and the table made. */
export function openPrices(prices: PriceDependencies): Prices {
	const { store, clock, telemetry } = prices
	const view = createPriceView(store.db)
	prices.feed.add(view)
	const priceCall = createPriceCall(view.find)
	const operations = bind(priceOperations, {
		list: async ({ query, context }) => {
			const listing = { ...query, sort: 'effective_from' } as const
			const { rows, total } = await listPrices(store.db, principalIn(context).workspaceId, listing)
			return { prices: rows.map(presentPrice), table: bundledTable(), pagination: paginate(query, total) }
		},
		create: ({ body, context }) => createPrice(prices, changeBy(context), body),
		end: ({ params, body, context }) => setEnd(prices, changeBy(context), params.id, body.at),
		effective: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const startNs = BigInt(clock.nowMs()) * 1_000_000n
			const lines = priceDimensions.map((dimension) => lineOf(dimension))
			const { ledger } = priceCall({ ...query, workspaceId, lines, startNs })
			return { rates: ledger.filter(({ rate }) => rate !== null).map(presentRate) }
		},
		unpriced: async ({ query, context }) => {
			const range = readTimeRange(query, clock.nowMs())
			const found = await listUnpriced(telemetry, principalIn(context).workspaceId, range)
			return { models: found.map(presentUnpriced) }
		},
	})
	const ledger = bind(ledgerOperations, {
		list: ({ query, context }) => readLedger(prices, principalIn(context).workspaceId, query),
		reprice: ({ body, context }) => reprice({ ...prices, priceCall }, changeBy(context), body),
		versions: async ({ query, context }) => ({
			versions: await readVersions(telemetry, principalIn(context).workspaceId, query),
		}),
	})
	return { operations: [...operations, ...ledger], priceCall, ownPricesOf: view.rowsOf }
}

const lineOf = (dimension: Dimension) => ({ dimension, quantity: 1, iteration: 0, model: '' })

function presentRate(entry: { dimension: string; rate: number | null; factor: string; price: string }) {
	const { dimension, rate, factor, price } = entry
	return { dimension, nano_usd_per_million: String(rate), factor, price }
}

function changeBy(context: RequestContext): Change {
	return { principal: principalIn(context), requestId: context.requestId }
}
