import type { LedgerEntry } from './ledger-entry.ts'
import { ordinaryTerms, type Terms } from './modifiers.ts'
import { type FindOwnPrice, withOwnPrice } from './own-price.ts'
import { type LedgerRow, priceUsage, totalOf } from './price-usage.ts'
import { bundledPrices } from './prices/bundled-prices.ts'
import { type FindPrice, openPriceBook } from './prices/find-price.ts'
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
	/** Whose call it was, over which connection: for the prices that workspaces set themselves. */
	workspaceId?: string
	connection?: string
	/** When prices of their own must hold; absent: when the call started. */
	ownAtMs?: number
}

/** A call with its price. */
export interface PricedCall {
	/** Null when a part of it has no known price: unpriced is not free. */
	costNanoUsd: bigint | null
	ledger: LedgerEntry[]
}

export type PriceCall = (call: CallTerms) => PricedCall

const nsPerMs = 1_000_000n

/** Prices calls by what their workspace set itself, else by the table that comes with the program. */
export function createPriceCall(findOwn: FindOwnPrice | null = null): PriceCall {
	// Read at the first call: many instances carry no model traffic.
	let find: FindPrice | undefined
	return ({ startNs, terms, workspaceId = '', connection = '', ownAtMs, ...call }) => {
		const atMs = Number(startNs / nsPerMs)
		find ??= openPriceBook(bundledPrices())
		const table = find
		const both: FindPrice = (provider, model, at) => {
			const own = findOwn?.({ workspaceId, connection, provider, model, atMs: ownAtMs ?? at }) ?? null
			return withOwnPrice(own, table(provider, model, at))
		}
		const rows = priceUsage(findOwn ? both : table, { ...call, terms: { ...ordinaryTerms, ...terms }, atMs })
		const { nanoUsd, complete } = totalOf(rows)
		return { costNanoUsd: complete ? nanoUsd : null, ledger: rows.map(toEntry) }
	}
}

function toEntry({ factor, price, ...row }: LedgerRow): LedgerEntry {
	const [numerator, denominator] = factor
	return {
		...row,
		factor: numerator === denominator ? '' : `${numerator}/${denominator}`,
		price: price ? [price.source, price.version, price.model, price.effectiveFrom].join(' ').trim() : '',
	}
}
