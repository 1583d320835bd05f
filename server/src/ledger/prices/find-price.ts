import { bundledPrices } from './bundled-prices.ts'
import {
	type DatedRates,
	type Match,
	type ModelPrices,
	type Price,
	type PriceBook,
	tableProvider,
} from './price-book.ts'

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
