import { ordinaryTerms, type Terms } from './modifiers.ts'
import { priceUsage, totalOf } from './price-usage.ts'
import { bundledPrices } from './prices/bundled-prices.ts'
import { openPriceBook } from './prices/find-price.ts'
import type { UsageLine } from './usage.ts'

/** A call as the ledger sees it. */
export interface CallTerms {
	/** As the price table names the provider. */
	provider: string
	/** The model of the lines that name none. */
	model: string
	lines: readonly UsageLine[]
	/** Absent terms are the ordinary ones. */
	terms?: Partial<Terms>
	startNs: bigint
}

/** What a call cost in nano-dollars; null when a part of it has no known price: unpriced is not free. */
export type PriceCall = (call: CallTerms) => bigint | null

const nsPerMs = 1_000_000n

/** Prices calls by the table that comes with the program. */
export function createPriceCall(): PriceCall {
	const find = openPriceBook(bundledPrices())
	return ({ startNs, terms, ...call }) => {
		const atMs = Number(startNs / nsPerMs)
		const rows = priceUsage(find, { ...call, terms: { ...ordinaryTerms, ...terms }, atMs })
		const { nanoUsd, complete } = totalOf(rows)
		return complete ? nanoUsd : null
	}
}
