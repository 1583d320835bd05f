import { readFileSync } from 'node:fs'
import {
	type ConditionalPrice,
	findProvider,
	type ModelPrice,
	type TieredPrices,
} from '@pydantic/genai-prices'
import { divideHalfEven } from '../cost.ts'
import type { Dimension } from '../usage.ts'
import type { DatedRates, Match, PriceBook, Rate, Rates } from './price-book.ts'

/** The imported providers: those to which a connection can lead. */
const providers = [
	...['anthropic', 'openai', 'google', 'azure', 'aws', 'openrouter', 'mistral', 'groq', 'deepseek', 'x-ai'],
	...[
		'cerebras',
		'cohere',
		'fireworks',
		'together',
		'perplexity',
		'moonshotai',
		'minimax',
		'zai',
		'voyageai',
	],
]

/** Their price names, with the dimension here and the power of ten from dollars to nano-dollars for 1,000,000 units. */
const priceKeys: Record<string, readonly [Dimension, number]> = {
	input_mtok: ['in_text', 9],
	input_audio_mtok: ['in_audio', 9],
	input_image_mtok: ['in_image', 9],
	input_video_mtok: ['in_video', 9],
	cache_read_mtok: ['cache_read', 9],
	cache_audio_read_mtok: ['cache_read_audio', 9],
	cache_image_read_mtok: ['cache_read_image', 9],
	cache_write_mtok: ['cache_write_5m', 9],
	cache_write_1h_mtok: ['cache_write_1h', 9],
	output_mtok: ['out_text', 9],
	output_reasoning_mtok: ['out_reasoning', 9],
	output_audio_mtok: ['out_audio', 9],
	output_image_mtok: ['out_image', 9],
	output_video_mtok: ['out_video', 9],
	output_citation_mtok: ['out_citation', 9],
	requests_kcount: ['request', 12],
	web_searches_kcount: ['web_search', 12],
	storage_searches_kcount: ['file_search', 12],
}

/** Converts the price table of the installed package to the form used here. */
export function readGenaiPrices(): PriceBook {
	const version = installedVersion()
	return {
		source: 'genai-prices',
		version,
		providers: providers.map((id) => {
			const provider = findProvider({ providerId: id })
			if (!provider) throw new Error(`genai-prices ${version} has no provider ${id}.`)
			return {
				provider: id,
				fallback: provider.fallback_model_providers ?? [],
				models: provider.models.map(({ id: model, match, prices }) => ({
					model,
					match: match as Match,
					prices: Array.isArray(prices) ? prices.map(toDatedRates) : [{ rates: toRates(prices) }],
				})),
			}
		}),
	}
}

/** The package does not export its version, which is pinned. */
function installedVersion(): string {
	const { devDependencies } = JSON.parse(
		readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
	)
	return devDependencies['@pydantic/genai-prices'] as string
}

function toDatedRates({ constraint, prices }: ConditionalPrice): DatedRates {
	const rates = toRates(prices)
	if (!constraint) return { rates }
	if (constraint.type === 'start_date') return { from: constraint.start_date, rates }
	return { daily: [secondsOf(constraint.start_time), secondsOf(constraint.end_time)], rates }
}

/** Seconds after midnight of `16:30:00Z`. */
function secondsOf(time: string): number {
	return (Date.parse(`1970-01-01T${time}`) / 1000 + 86_400) % 86_400
}

/** Prices per page or per hour of audio are left out: such calls are unpriced until someone needs them. */
function toRates(prices: ModelPrice): Rates {
	const rates: Rates = {}
	for (const [key, price] of Object.entries(prices)) {
		const known = priceKeys[key]
		if (known && price !== undefined) rates[known[0]] = toRate(price, known[1])
	}
	return rates
}

function toRate(price: number | TieredPrices, exponent: number): Rate {
	if (typeof price === 'number') return scale(price, exponent)
	const tiers = price.tiers.map(({ start, price: inTier }) => ({
		above: start,
		rate: scale(inTier, exponent),
	}))
	return { base: scale(price.base, exponent), tiers: tiers.sort((a, b) => a.above - b.above) }
}

/**
 * `value` × 10^`exponent`, computed on the decimal text instead of the binary form. Finer values (a twelfth of a dollar) are
 * rounded.
 */
export function scale(value: number, exponent: number): number {
	const [, whole, fraction = '', power = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
	if (whole === undefined) throw new Error(`${value} is not a price.`)
	const shift = exponent + Number(power) - fraction.length
	const digits = BigInt(whole + fraction)
	const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfEven(digits, 10n ** BigInt(-shift))
	if (scaled > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error(`The price ${value} is too large.`)
	return Number(scaled)
}

/** The text of the committed table, with one model per line, so that a new version gives a readable diff. */
export function renderPriceBook({ source, version, providers: entries }: PriceBook): string {
	const rendered = entries.map(({ provider, fallback, models }) => {
		const lines = models.map((model) => `\t\t\t\t${JSON.stringify(model)}`).join(',\n')
		const head = `\t\t{\n\t\t\t"provider": "${provider}",\n\t\t\t"fallback": ${JSON.stringify(fallback)},`
		return `${head}\n\t\t\t"models": [\n${lines}\n\t\t\t]\n\t\t}`
	})
	const body = rendered.join(',\n')
	return `{\n\t"source": "${source}",\n\t"version": "${version}",\n\t"providers": [\n${body}\n\t]\n}\n`
}
