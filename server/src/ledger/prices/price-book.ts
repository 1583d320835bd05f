import type { Dimension } from '../dimensions.ts'
import type { OwnPrice } from '../own-price.ts'

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

export interface ProviderPrices {
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
