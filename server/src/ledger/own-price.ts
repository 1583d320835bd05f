import type { Ratio } from './cost.ts'
import type { Price, Rates } from './prices/price-book.ts'

/** A price that a workspace set itself: rates of its own by dimension, and a factor on the table's for the rest. */
export interface OwnPrice {
	id: string
	/** As it was written, with `*` for any text. */
	model: string
	/** The day it came into force (YYYY-MM-DD). */
	effectiveFrom: string
	rates: Rates
	factor: Ratio | null
}

/** Which call a price is looked for. */
export interface PriceQuestion {
	workspaceId: string
	connection: string
	provider: string
	model: string
	atMs: number
}

export type FindOwnPrice = (question: PriceQuestion) => OwnPrice | null

/** The table's price with the own one before it; null where neither has one. */
export function withOwnPrice(own: OwnPrice | null, table: Price | null): Price | null {
	if (!own) return table
	const { id: version, model, effectiveFrom } = own
	return { ...(table ?? { source: 'operator', version, model, effectiveFrom, rates: {} }), own }
}

/** Where an own rate is from, as the ledger writes it. */
export function originOfOwn({ id, model, effectiveFrom }: OwnPrice): Omit<Price, 'rates' | 'own'> {
	return { source: 'operator', version: id, model, effectiveFrom }
}

/** Where a table's rate with an own factor on it is from: both. */
export function originOfFactor(
	own: OwnPrice,
	table: Omit<Price, 'rates' | 'own'>,
): Omit<Price, 'rates' | 'own'> {
	return { ...originOfOwn(own), model: `${own.model} on ${table.source} ${table.version} ${table.model}` }
}
