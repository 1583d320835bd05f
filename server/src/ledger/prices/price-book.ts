import type { Ratio } from '../cost.ts'
import type { Dimension } from '../dimensions.ts'

/** Providers that have another name in the price table. */
const tableNames: Readonly<Record<string, string>> = {
	gemini: 'google',
	vertex: 'google',
	azure_openai: 'azure',
	bedrock: 'aws',
	mistral_ai: 'mistral',
	x_ai: 'x-ai',
	moonshot_ai: 'moonshotai',
}

/** The provider's name in the price table. */
export function tableProvider(provider: string): string {
	return tableNames[provider] ?? provider
}

/** How a model's name is matched; case-insensitive except for `regex`. */
export type Match =
	| { or: readonly Match[] }
	| { and: readonly Match[] }
	| { equals: string }
	| { starts_with: string }
	| { ends_with: string }
	| { contains: string }
	| { regex: string }

/**
 * Integer nano-dollars for 1,000,000 units (tokens, requests, seconds). With `tiers`, the whole request has the price of the
 * highest tier whose `above` its input exceeds.
 */
export type Rate = number | { base: number; tiers: readonly { above: number; rate: number }[] }

export type Rates = Partial<Record<Dimension, Rate>>

/** The rates of a model from a day on (UTC), or in certain hours of each day (seconds after midnight UTC, end excluded). */
export interface DatedRates {
	from?: string
	daily?: readonly [startS: number, endS: number]
	rates: Rates
}

export interface ModelPrices {
	model: string
	match: Match
	/** Oldest first. The last one in force counts. */
	prices: readonly DatedRates[]
}

interface ProviderPrices {
	provider: string
	/** Providers whose models this one resells at their prices. */
	fallback: readonly string[]
	models: readonly ModelPrices[]
}

/** A price table of one source and version. */
export interface PriceBook {
	source: string
	version: string
	providers: readonly ProviderPrices[]
}

/** The price of a model at a point in time, and its source. */
export interface Price {
	source: string
	version: string
	/** The table's name for the model. */
	model: string
	/** The day on which it came into force (YYYY-MM-DD), or '' if the source does not say. */
	effectiveFrom: string
	rates: Rates
	/** The workspace's own price, which takes precedence. */
	own?: OwnPrice
}

/** A price set by a workspace: its own rates by dimension, and a factor on the table's rates for the others. */
export interface OwnPrice {
	id: string
	/** As entered, with `*` for any text. */
	model: string
	/** The day on which it came into force (YYYY-MM-DD). */
	effectiveFrom: string
	rates: Rates
	factor: Ratio | null
}

/** The call for which a price is needed. */
export interface PriceQuery {
	workspaceId: string
	connection: string
	provider: string
	/** The kind of the connection, which prices may be set for as well; absent: that of the provider. */
	kind?: string | undefined
	model: string
	atMs: number
}

export type FindOwnPrice = (query: PriceQuery) => OwnPrice | null

/** Combines the table's price with the workspace's own, which takes precedence. Null if neither exists. */
export function withOwnPrice(own: OwnPrice | null, table: Price | null): Price | null {
	if (!own) return table
	const { id: version, model, effectiveFrom } = own
	return { ...(table ?? { source: 'operator', version, model, effectiveFrom, rates: {} }), own }
}

/** The source of an own rate, as recorded in the ledger. */
export function originOfOwn({ id, model, effectiveFrom }: OwnPrice): Omit<Price, 'rates' | 'own'> {
	return { source: 'operator', version: id, model, effectiveFrom }
}

/** The source of a table's rate with an own factor: both. */
export function originOfFactor(
	own: OwnPrice,
	table: Omit<Price, 'rates' | 'own'>,
): Omit<Price, 'rates' | 'own'> {
	return { ...originOfOwn(own), model: `${own.model} on ${table.source} ${table.version} ${table.model}` }
}
