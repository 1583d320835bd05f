import type { Ratio } from '../cost.ts'
import type { Dimension } from '../dimensions.ts'

/** Kinds of connections that the price table knows by another name. */
const tableNames: Readonly<Record<string, string>> = {
	gemini: 'google',
	vertex: 'google',
	azure_openai: 'azure',
	bedrock: 'aws',
}

/** The provider's name in the price table. */
export function tableProvider(provider: string): string {
	return tableNames[provider] ?? provider
}

/** How a model's name is recognised; case does not count but in `regex`. */
export type Match =
	| { or: readonly Match[] }
	| { and: readonly Match[] }
	| { equals: string }
	| { starts_with: string }
	| { ends_with: string }
	| { contains: string }
	| { regex: string }

/**
 * Integer nano-dollars for 1,000,000 units (tokens, requests, seconds). With `tiers` the price of the whole request
 * is that of the highest tier whose `above` its input exceeds.
 */
export type Rate = number | { base: number; tiers: readonly { above: number; rate: number }[] }

export type Rates = Partial<Record<Dimension, Rate>>

/** The rates of a model from a day on (UTC), or in hours of each day (seconds after midnight UTC, end excluded). */
export interface DatedRates {
	from?: string
	daily?: readonly [startS: number, endS: number]
	rates: Rates
}

export interface ModelPrices {
	model: string
	match: Match
	/** The last that holds counts; the first is the oldest. */
	prices: readonly DatedRates[]
}

interface ProviderPrices {
	provider: string
	/** Providers whose models this one resells at their price. */
	fallback: readonly string[]
	models: readonly ModelPrices[]
}

/** A whole table of prices of one source and version. */
export interface PriceBook {
	source: string
	version: string
	providers: readonly ProviderPrices[]
}

/** The price that held for a model at a moment, and where it is from. */
export interface Price {
	source: string
	version: string
	/** The table's own name of the model. */
	model: string
	/** The day it came into force (YYYY-MM-DD), or '' when the source does not tell. */
	effectiveFrom: string
	rates: Rates
	/** What the workspace set itself: it comes first. */
	own?: OwnPrice
}

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
export interface PriceQuery {
	workspaceId: string
	connection: string
	provider: string
	model: string
	atMs: number
}

export type FindOwnPrice = (query: PriceQuery) => OwnPrice | null

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
