import { costOf, type Ratio, whole } from './cost.ts'
import type { Price } from './prices/price-book.ts'
import type { UsageLine } from './usage.ts'

interface PricedRow extends UsageLine {
	rate: number | null
	factor: Ratio
	costNanoUsd: bigint | null
	price: Omit<Price, 'rates' | 'own'> | null
}

/** The rate that takes a reported nano-dollar as one nano-dollar. */
const atItsWord = 1_000_000
const origin = { source: 'reported', version: '', model: '', effectiveFrom: '' }

/** Providers that bill the cost they report, by their names in the price table. The table is used for calls without a report. */
const billedAsReported: ReadonlySet<string> = new Set(['openrouter', 'perplexity', 'x-ai'])

/**
 * The rows of a call with the cost that its provider reports. The reported cost alone counts, and the other rows are unpriced, if a part of
 * the call has no price, or only a table's price and the provider bills what it reports. Otherwise it counts for nothing. Null if the provider
 * reports no cost.
 */
export function withReportedCost<Row extends PricedRow>(
	rows: readonly Row[],
	provider: string,
): { rows: Row[]; nanoUsd: bigint | null } | null {
	const reported = rows.find(({ dimension }) => dimension === 'reported_cost')
	if (!reported) return null
	const parts = rows.filter((row) => row !== reported)
	const goesBefore = ({ costNanoUsd, price }: Row) =>
		costNanoUsd !== null && (!billedAsReported.has(provider) || price?.source === 'operator')
	const isPriced = parts.length > 0 && parts.every(goesBefore)
	if (isPriced) {
		const beside = { ...reported, rate: 0, factor: whole, costNanoUsd: 0n, price: origin }
		return { rows: rows.map((row) => (row === reported ? beside : row)), nanoUsd: null }
	}
	const rate = reported.rate ?? atItsWord
	const costNanoUsd = costOf(reported.quantity, rate, reported.factor)
	const counted = { ...reported, rate, costNanoUsd, price: reported.price ?? origin }
	const unpriced = { rate: null, factor: whole, costNanoUsd: null, price: null }
	return {
		rows: rows.map((row) => (row === reported ? counted : { ...row, ...unpriced })),
		nanoUsd: costNanoUsd,
	}
}
