import { costOf, multiply, type Ratio, whole } from './cost.ts'
import { type Dimension, dimensions, isContext } from './dimensions.ts'
import { factorOf, type Terms } from './modifiers.ts'
import { originOfFactor, originOfOwn } from './own-price.ts'
import type { FindPrice } from './prices/find-price.ts'
import type { Price, Rate } from './prices/price-book.ts'
import { publishedRate } from './prices/published-rates.ts'
import type { UsageLine } from './usage.ts'

/** A row of the ledger: a quantity, what it costs, and by which price. */
export interface LedgerRow extends UsageLine {
	/** Nano-dollars for 1,000,000 units before the factor; null when unpriced. */
	rate: number | null
	factor: Ratio
	/** Null: unpriced, which is not free. */
	costNanoUsd: bigint | null
	price: Omit<Price, 'rates' | 'own'> | null
}

export interface UsageOfCall {
	/** As the price table names the provider. */
	provider: string
	/** The model of the lines that name none. */
	model: string
	lines: readonly UsageLine[]
	terms: Terms
	atMs: number
}

/** Prices a call, a row for each quantity; quantities of zero have none. */
export function priceUsage(
	find: FindPrice,
	{ provider, model, lines, terms, atMs }: UsageOfCall,
): LedgerRow[] {
	const context = contextLengths(lines)
	return lines
		.filter(({ quantity }) => quantity > 0)
		.map((given) => {
			const line = { ...given, model: given.model || model }
			const found = find(provider, line.model, atMs)
			const term = factorOf(provider, line.model, terms, line.dimension)
			const inTable = found && pricedBy(found, line.dimension, context.get(line.iteration) ?? 0, term)
			const priced = inTable ?? pricedAsPublished(provider, line, found)
			if (!priced) return { ...line, rate: null, factor: [1, 1], costNanoUsd: null, price: null }
			return { ...line, ...priced, costNanoUsd: costOf(line.quantity, priced.rate, priced.factor) }
		})
}

type Priced = Pick<LedgerRow, 'factor' | 'price'> & { rate: number }

/** An own rate holds under terms that no rule knows too: whoever set it knows them. */
function pricedBy(found: Price, dimension: Dimension, context: number, term: Ratio | null): Priced | null {
	const { rates, own, ...table } = found
	for (const name of [dimension, ...dimensions[dimension].instead]) {
		const ownRate = own?.rates[name]
		if (own && ownRate !== undefined)
			return { rate: inTier(ownRate, context), factor: term ?? whole, price: originOfOwn(own) }
		const rate = rates[name]
		if (rate === undefined) continue
		if (!term) return null
		if (!own?.factor) return { rate: inTier(rate, context), factor: term, price: table }
		const factor = multiply(term, own.factor)
		return { rate: inTier(rate, context), factor, price: originOfFactor(own, table) }
	}
	return null
}

/** Services beside the tokens, which no terms change. */
function pricedAsPublished(
	provider: string,
	{ model, dimension }: UsageLine,
	found: Price | null,
): Priced | null {
	const published = publishedRate(provider, model, dimension)
	if (!published) return null
	const { rate, ...price } = published
	const own = found?.own
	if (!own?.factor) return { rate, factor: whole, price }
	return { rate, factor: own.factor, price: originOfFactor(own, price) }
}

/** The sum of what has a price, and whether all has one. */
export function totalOf(rows: readonly LedgerRow[]): { nanoUsd: bigint; complete: boolean } {
	let nanoUsd = 0n
	let complete = true
	for (const { costNanoUsd } of rows) {
		if (costNanoUsd === null) complete = false
		else nanoUsd += costNanoUsd
	}
	return { nanoUsd, complete }
}

/** Tokens of input by iteration, cached ones included. */
function contextLengths(lines: readonly UsageLine[]): Map<number, number> {
	const lengths = new Map<number, number>()
	for (const { dimension, quantity, iteration } of lines) {
		if (isContext(dimension)) lengths.set(iteration, (lengths.get(iteration) ?? 0) + quantity)
	}
	return lengths
}

function inTier(rate: Rate, context: number): number {
	if (typeof rate === 'number') return rate
	return rate.tiers.findLast(({ above }) => context > above)?.rate ?? rate.base
}
