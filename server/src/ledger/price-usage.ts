import { costOf, type Ratio } from './cost.ts'
import { type Dimension, dimensions, isContext } from './dimensions.ts'
import { factorOf, type Terms } from './modifiers.ts'
import type { FindPrice } from './prices/find-price.ts'
import type { Price, Rate } from './prices/price-book.ts'
import type { UsageLine } from './usage.ts'

/** A row of the ledger: a quantity, what it costs, and by which price. */
export interface LedgerRow extends UsageLine {
	/** Nano-dollars for 1,000,000 units before the factor; null when unpriced. */
	rate: number | null
	factor: Ratio
	/** Null: unpriced, which is not free. */
	costNanoUsd: bigint | null
	price: Omit<Price, 'rates'> | null
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
			const rate = found ? rateOf(found, line.dimension, context.get(line.iteration) ?? 0) : null
			const factor = factorOf(provider, line.model, terms, line.dimension)
			if (!found || rate === null || !factor)
				return { ...line, rate: null, factor: [1, 1], costNanoUsd: null, price: null }
			const { rates: _, ...price } = found
			return { ...line, rate, factor, costNanoUsd: costOf(line.quantity, rate, factor), price }
		})
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

function rateOf({ rates }: Price, dimension: Dimension, context: number): number | null {
	const names: readonly Dimension[] = [dimension, ...dimensions[dimension].instead]
	const rate = names.map((name) => rates[name]).find((found) => found !== undefined)
	return rate === undefined ? null : inTier(rate, context)
}

function inTier(rate: Rate, context: number): number {
	if (typeof rate === 'number') return rate
	return rate.tiers.findLast(({ above }) => context > above)?.rate ?? rate.base
}
