import { readFileSync } from 'node:fs'
import type { Ratio } from '../cost.ts'
import type { Dimension } from '../usage.ts'

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

/** The bundled price table: genai-prices of the pinned version, imported by `npm run generate`. */
export function bundledPrices(): PriceBook {
	return JSON.parse(readFileSync(new URL('genai-prices.gen.json', import.meta.url), 'utf8')) as PriceBook
}

/** Source and version of the bundled table. */
export function bundledTable(): Pick<PriceBook, 'source' | 'version'> {
	const { source, version } = bundledPrices()
	return { source, version }
}

/** Finds the price of a provider's model at a point in time; null if the table has none. */
export type FindPrice = (provider: string, model: string, atMs: number) => Price | null

/** Bounded, because clients can send any number of different names. */
const rememberedModels = 4096
/** What precedes the model in the name of a resource: of a foundation model, or of an inference profile. */
const resourceOfAmazon = /^arn:.*\//
const dateSuffix = /-(20\d{2})(\d{2})(\d{2})(?=-|:|$)/

/** Prepares a table for lookups. */
export function openPriceBook(book: PriceBook): FindPrice {
	const providers = new Map(book.providers.map((entry) => [entry.provider, entry]))
	const known = new Map<string, ModelPrices | null>()
	const search = (provider: string, model: string): ModelPrices | null => {
		const entry = providers.get(provider)
		const own = entry?.models.find(({ match }) => matches(match, model))
		if (own || !entry) return own ?? null
		for (const other of entry.fallback) {
			const found = search(other, model)
			if (found) return found
		}
		return null
	}
	return (name, model, atMs) => {
		const provider = tableProvider(name)
		const key = `${provider} ${model}`
		let found = known.get(key)
		if (found === undefined) {
			const named = model.replace(resourceOfAmazon, '')
			found = search(provider, named) ?? search(provider, named.replace(dateSuffix, '-$1-$2-$3'))
			if (known.size >= rememberedModels) known.clear()
			known.set(key, found)
		}
		return found && priceAt(book, found, atMs)
	}
}

/** Whether a provider has a model of this name, or one that matches if the pattern contains `*` (any characters). */
export type KnowsModel = (provider: string, pattern: string) => boolean

/** Knows the models of the bundled table, which is loaded at the first lookup. */
export function openKnownModels(matchesPattern: (pattern: string, model: string) => boolean): KnowsModel {
	let book: PriceBook | undefined
	let find: FindPrice | undefined
	return (provider, pattern) => {
		book ??= bundledPrices()
		find ??= openPriceBook(book)
		if (!pattern.includes('*')) return find(provider, pattern, 0) !== null
		const entry = book.providers.find((each) => each.provider === tableProvider(provider))
		return entry?.models.some(({ model }) => matchesPattern(pattern, model)) ?? false
	}
}

/** Takes the first table that has a price: the operator's own before the imported ones. */
export function firstPriceOf(...tables: readonly FindPrice[]): FindPrice {
	return (provider, model, atMs) => {
		for (const find of tables) {
			const price = find(provider, model, atMs)
			if (price) return price
		}
		return null
	}
}

function priceAt({ source, version }: PriceBook, { model, prices }: ModelPrices, atMs: number): Price {
	const dated = (prices.findLast((price) => holds(price, atMs)) ?? prices[0]) as DatedRates
	let price = pricesOf.get(dated)
	if (!price) {
		price = { source, version, model, effectiveFrom: dated.from ?? '', rates: dated.rates }
		pricesOf.set(dated, price)
	}
	return price
}

/** Each price of a table is a single object and is never changed. */
const pricesOf = new WeakMap<DatedRates, Price>()
const daysMs = new Map<string, number>()

function dayMs(day: string): number {
	let ms = daysMs.get(day)
	if (ms === undefined) {
		ms = Date.parse(day)
		daysMs.set(day, ms)
	}
	return ms
}

function holds({ from, daily }: DatedRates, atMs: number): boolean {
	if (from !== undefined && atMs < dayMs(from)) return false
	if (!daily) return true
	const [startS, endS] = daily
	const secondsS = (atMs / 1000) % 86_400
	return endS < startS ? secondsS >= startS || secondsS < endS : secondsS >= startS && secondsS < endS
}

export function matches(match: Match, name: string): boolean {
	const lower = name.toLowerCase()
	if ('or' in match) return match.or.some((inner) => matches(inner, name))
	if ('and' in match) return match.and.every((inner) => matches(inner, name))
	if ('equals' in match) return lower === match.equals.toLowerCase()
	if ('starts_with' in match) return lower.startsWith(match.starts_with.toLowerCase())
	if ('ends_with' in match) return lower.endsWith(match.ends_with.toLowerCase())
	if ('contains' in match) return lower.includes(match.contains.toLowerCase())
	return new RegExp(match.regex).test(name)
}

interface PublishedRate {
	provider: string
	model: RegExp
	dimension: Dimension
	/** Nano-dollars for 1,000,000 units. Zero is a price too: the provider does not charge. */
	rate: number
}

/** The date of the published prices below. Providers change theirs without notice; a workspace's own price takes precedence. */
const publishedVersion = '2026-11-21'

/** Published prices that the imported table lacks. Free allowances of an account are not deducted. The first match counts. */
const published: readonly PublishedRate[] = [
	// Fetched pages are billed only as the tokens that they become.
	{ provider: 'anthropic', model: /^claude-/, dimension: 'web_fetch', rate: 0 },
	{
		provider: 'google',
		model: /^gemini-[12]/,
		dimension: 'grounding_query',
		rate: 35_000_000_000_000,
	},
	{ provider: 'google', model: /^gemini-/, dimension: 'grounding_query', rate: 14_000_000_000_000 },
	{ provider: 'openai', model: /^whisper-1$/, dimension: 'audio_s', rate: 100_000_000_000 },
]

type Published = Omit<Price, 'rates' | 'own'> & { rate: number }

/** Null if no published price is known. */
export function publishedRate(provider: string, model: string, dimension: Dimension): Published | null {
	const table = tableProvider(provider)
	const found = published.find(
		(one) => one.dimension === dimension && one.provider === table && one.model.test(model),
	)
	if (!found) return null
	return {
		source: 'published',
		version: publishedVersion,
		model: found.model.source,
		effectiveFrom: '',
		rate: found.rate,
	}
}
