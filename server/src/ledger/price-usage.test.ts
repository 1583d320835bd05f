import { calcPrice, findProvider } from '@pydantic/genai-prices'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costOf } from './cost.ts'
import { createPriceCall, defaultTerms, priceUsage, totalOf } from './ledger.ts'
import { scale } from './prices/import-genai-prices.ts'
import { bundledPrices, firstPriceOf, openPriceBook, type PriceBook } from './prices/price-book.ts'
import type { Dimension, UsageLine } from './usage.ts'

const find = openPriceBook(bundledPrices())
const atMs = Date.parse('2026-11-21T12:00:00Z')
const line = (dimension: Dimension, quantity: number, model: string, iteration = 0): UsageLine => ({
	dimension,
	quantity,
	model,
	iteration,
})
const priced = (provider: string, lines: UsageLine[], terms = {}, at = atMs) =>
	priceUsage(find, { provider, model: '', lines, terms: { ...defaultTerms, ...terms }, atMs: at })
const nano = (provider: string, lines: UsageLine[], terms = {}, at = atMs) =>
	totalOf(priced(provider, lines, terms, at))

describe('the cost of a quantity', () => {
	it('is rounded once, half to even', () => {
		expect(costOf(1, 500_000)).toBe(0n)
		expect(costOf(3, 500_000)).toBe(2n)
		expect(costOf(1, 500_001)).toBe(1n)
		expect(costOf(5, 1_000_000, [1, 2])).toBe(2n)
		expect(costOf(7, 1_000_000, [1, 2])).toBe(4n)
	})

	it('is exact where floating point is not', () => {
		expect(costOf(9_007_199_254_740_991, 9_007_199_254_740_991)).toBe(81_129_638_414_606_663_681_390_496n)
		expect(scale(0.1 + 0.2, 9)).toBe(300_000_000)
		expect(scale(2.5e-7, 9)).toBe(250)
		expect(scale(1 / 12, 9)).toBe(83_333_333)
	})
})

describe('the price of a call', () => {
	it('is unknown if it would be more than any call costs, which does not fit into the columns for it', () => {
		const model = 'claude-opus-5'
		const lines = [line('in_text', Number.MAX_SAFE_INTEGER, model), line('out_text', 10, model)]
		const call = { provider: 'anthropic', model, startNs: BigInt(atMs) * 1_000_000n }
		const { costNanoUsd, ledger } = createPriceCall()({ ...call, lines })
		expect([costNanoUsd, ...ledger.map(({ costNanoUsd: cost, rate }) => cost ?? rate)]).toEqual([
			null,
			null,
			null,
		])
		lines.push(line('reported_cost', 7, model))
		expect(createPriceCall()({ ...call, lines }).costNanoUsd).toBe(7n)
	})

	it('has a row for each quantity, and is the sum of the rows', () => {
		const rows = priced('anthropic', [
			line('in_text', 1000, 'claude-opus-5'),
			line('cache_read', 20_000, 'claude-opus-5'),
			line('cache_write_5m', 300, 'claude-opus-5'),
			line('cache_write_1h', 40, 'claude-opus-5'),
			line('out_text', 500, 'claude-opus-5'),
			line('out_reasoning', 70, 'claude-opus-5'),
			line('web_search', 2, 'claude-opus-5'),
			line('web_fetch', 0, 'claude-opus-5'),
		])
		expect(rows.map(({ dimension, costNanoUsd }) => [dimension, costNanoUsd])).toEqual([
			['in_text', 5_000_000n],
			['cache_read', 10_000_000n],
			['cache_write_5m', 1_875_000n],
			['cache_write_1h', 400_000n],
			['out_text', 12_500_000n],
			['out_reasoning', 1_750_000n],
			['web_search', 20_000_000n],
		])
		expect(totalOf(rows)).toEqual({ nanoUsd: 51_525_000n, complete: true })
		expect(rows[0]?.price).toMatchObject({ source: 'genai-prices', version: '0.1.8' })
	})

	it.each(['global.anthropic.claude-sonnet-4-5-20250929-v1:0', 'global.anthropic.claude-opus-5-5'])(
		'of a cache write for one hour is twice that of the input, also where the table lacks it: %s',
		(model) => {
			const [input, write] = priced('bedrock', [
				line('in_text', 1000, model),
				line('cache_write_1h', 1000, model),
			])
			expect(write?.costNanoUsd).toBe(2n * (input?.costNanoUsd ?? 0n))
		},
	)

	it('rises for the whole request if its input, including cached input, passes a threshold', () => {
		const lines = (input: number) => [
			line('in_text', input, 'gpt-5.6-sol'),
			line('cache_read', 72_000, 'gpt-5.6-sol'),
			line('out_text', 1000, 'gpt-5.6-sol'),
		]
		const [below] = priced('openai', lines(199_999))
		const [above, , output] = priced('openai', lines(200_000))
		expect([below?.rate, above?.rate, output?.rate]).toEqual([4e9, 8e9, 30e9])
	})

	it('counts the context of each iteration by itself, each at the price of its own model', () => {
		const rows = priced('anthropic', [
			line('in_text', 10, 'claude-opus-5'),
			line('in_text', 10, 'claude-sonnet-5', 1),
		])
		expect(rows.map(({ costNanoUsd }) => costNanoUsd)).toEqual([50_000n, 20_000n])
	})

	it.each([
		['openai', 'gpt-5.6-sol', { serviceTier: 'flex' }, 2_000_000n],
		['openai', 'gpt-5.6-sol', { batch: true }, 2_000_000n],
		['anthropic', 'claude-opus-5', { serviceTier: 'batch', batch: true }, 2_500_000n],
		['anthropic', 'claude-opus-5', { speed: 'fast' }, 10_000_000n],
		['anthropic', 'claude-opus-5', { geo: 'us' }, 5_500_000n],
		['anthropic', 'claude-opus-5', { geo: 'us', speed: 'fast' }, 11_000_000n],
	])('knows the terms of %s %s %o', (provider, model, terms, cost) => {
		expect(nano(provider, [line('in_text', 1000, model)], terms)).toEqual({ nanoUsd: cost, complete: true })
	})

	it('is unknown, not zero, for a model, a dimension or terms without a price', () => {
		const unknown = { nanoUsd: 0n, complete: false }
		expect(nano('openai', [line('in_text', 10, 'no-such-model')])).toEqual(unknown)
		expect(nano('nobody', [line('in_text', 10, 'gpt-4o')])).toEqual(unknown)
		expect(nano('anthropic', [line('code_exec_s', 10, 'claude-opus-5')])).toEqual(unknown)
		expect(nano('openai', [line('in_text', 10, 'gpt-4o')], { serviceTier: 'priority' })).toEqual(unknown)
		const partly = [line('in_text', 1000, 'claude-opus-5'), line('code_exec_s', 10, 'claude-opus-5')]
		expect(nano('anthropic', partly)).toEqual({ nanoUsd: 5_000_000n, complete: false })
	})

	it('is that of the day of the call', () => {
		const lines = [line('in_text', 1_000_000, 'gpt-5.6-luna')]
		expect(nano('openai', lines, {}, Date.parse('2026-07-29T23:59:59.999Z')).nanoUsd).toBe(2_000_000_000n)
		const [row] = priced('openai', lines, {}, Date.parse('2026-07-30T00:00:00Z'))
		expect([row?.costNanoUsd, row?.price?.effectiveFrom]).toEqual([400_000_000n, '2026-07-30'])
	})

	it("is an operator's own rather than an imported one", () => {
		const own: PriceBook = {
			source: 'operator',
			version: '1',
			providers: [
				{
					provider: 'openai',
					fallback: [],
					models: [
						{ model: 'mine', match: { equals: 'gpt-4o' }, prices: [{ rates: { in_text: 7_000_000 } }] },
					],
				},
			],
		}
		const both = firstPriceOf(openPriceBook(own), find)
		const at = (model: string) =>
			priceUsage(both, {
				provider: 'openai',
				model: '',
				lines: [line('in_text', 1000, model)],
				terms: defaultTerms,
				atMs,
			})
		expect(at('gpt-4o')[0]).toMatchObject({ costNanoUsd: 7000n, price: { source: 'operator' } })
		expect(at('gpt-4o-mini')[0]?.price?.source).toBe('genai-prices')
	})

	it('agrees with genai-prices, for every model of the big providers and any usage', () => {
		const models = ['anthropic', 'openai', 'google', 'aws', 'mistral', 'deepseek'].flatMap((providerId) =>
			(findProvider({ providerId })?.models ?? []).map((model) => ({ providerId, id: model.id })),
		)
		const count = fc.integer({ min: 0, max: 400_000 })
		let compared = 0
		fc.assert(
			fc.property(fc.constantFrom(...models), count, count, count, count, (model, text, read, write, out) => {
				const theirs = calcPrice(
					{
						input_tokens: text + read + write,
						cache_read_tokens: read,
						cache_write_tokens: write,
						output_tokens: out,
					},
					model.id,
					{ providerId: model.providerId, timestamp: new Date(atMs) },
				)
				const ours = nano(model.providerId, [
					line('in_text', text, model.id),
					line('cache_read', read, model.id),
					line('cache_write_5m', write, model.id),
					line('out_text', out, model.id),
				])
				if (!theirs || !ours.complete) return
				compared += 1
				expect(Math.abs(Number(ours.nanoUsd) / 1e9 - theirs.total_price)).toBeLessThan(1e-6)
			}),
			{ numRuns: 2000 },
		)
		expect(compared).toBeGreaterThan(1500)
	})
})
