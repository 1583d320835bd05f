import { readFileSync } from 'node:fs'
import { calcPrice, extractUsage, findProvider } from '@pydantic/genai-prices'
import { describe, expect, it } from 'vitest'
import { createPriceCall, tableProvider, type Usage } from '../../../ledger/ledger.ts'
import { mergeUsage, readUsage as readAnthropic } from './anthropic/reader.ts'
import { readUsage as readConverse, readNativeUsage } from './bedrock/index.ts'
import { billedSearches, readUsage as readGemini, tierOf } from './gemini/usage.ts'
import { readUsage as readOpenAi, readToolUsage } from './openai/reader.ts'
import type { Fields } from './provider.ts'

/** One line of golden-usage.json: a usage object as received, and the quantities that it is billed as. */
interface Golden {
	name: string
	provider: string
	/** Which reader the object needs. */
	form: string
	model: string
	usage: Fields
	/** Quantities by dimension, and by `dimension#iteration` for those beside the answer; null if there are no figures. */
	lines: Record<string, number> | null
	inconsistent?: true
	terms?: { serviceTier?: string; speed?: string; geo?: string; batch?: boolean }
	/** Nano-dollars; null if unpriced. */
	cost: string | null
}

const golden = JSON.parse(readFileSync(new URL('golden-usage.json', import.meta.url), 'utf8')) as Golden[]
const atMs = Date.UTC(2026, 10, 21)

const readers: Record<string, (usage: Fields, model: string) => Usage | null> = {
	openai: (usage) => readOpenAi(usage),
	image: (usage) => readOpenAi(usage, 'out_image'),
	response: (response) => {
		const usage = readOpenAi(response.usage)
		return usage && { ...usage, lines: [...usage.lines, ...readToolUsage(response.tool_usage)] }
	},
	anthropic: (usage) => readAnthropic(usage),
	'anthropic-stream': ({ start, delta }) => readAnthropic(mergeUsage(start as Fields, delta as Fields)),
	gemini: (usage) => readGemini(usage),
	grounded: ({ usage, queries }, model) => readGemini(usage, billedSearches(queries as number, model)),
	converse: (usage) => readConverse(usage),
	native: (body) => readNativeUsage(body),
}

const read = ({ form, usage, model }: Golden) => readers[form]?.(usage, model) ?? null
const priceCall = createPriceCall()
const priced = (vector: Golden) => {
	const { provider, model, terms } = vector
	const lines = read(vector)?.lines ?? []
	return priceCall({
		provider,
		model,
		lines,
		terms: terms ?? {},
		startNs: BigInt(atMs) * 1_000_000n,
	})
}

describe('golden usage vectors', () => {
	it('are at least 200, each with a unique name', () => {
		expect(golden.length).toBeGreaterThanOrEqual(200)
		expect(new Set(golden.map(({ name }) => name)).size).toBe(golden.length)
	})

	it.each(golden.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
		const usage = read(vector)
		const lines = usage?.lines.map(({ dimension, quantity, iteration }) => [
			iteration === 0 ? dimension : `${dimension}#${iteration}`,
			quantity,
		])
		expect(lines ? Object.fromEntries(lines) : null).toEqual(vector.lines)
		expect(usage?.inconsistent ?? false).toBe(vector.inconsistent ?? false)
		const { costNanoUsd, ledger } = priced(vector)
		if (usage) expect(costNanoUsd === null ? null : String(costNanoUsd)).toBe(vector.cost)
		if (costNanoUsd !== null)
			expect(ledger.reduce((sum, row) => sum + (row.costNanoUsd ?? 0n), 0n)).toBe(costNanoUsd)
	})

	it('the tiers of Gemini and Vertex AI are mapped to the names in the price rules', () => {
		expect(tierOf({ serviceTier: 'FLEX' })).toBe('flex')
		expect(tierOf({ trafficType: 'ON_DEMAND_PRIORITY' })).toBe('on_demand_priority')
		expect(tierOf({ serviceTier: 'SERVICE_TIER_UNSPECIFIED' })).toBe('')
		expect(tierOf(null)).toBe('')
	})
})

/** Why the package computes another price than Signalbox: names of vectors by reason. */
const differences = JSON.parse(
	readFileSync(new URL('genai-prices-differences.json', import.meta.url), 'utf8'),
) as Record<string, string[]>

describe('the same vectors by @pydantic/genai-prices', () => {
	const reasonOf = (name: string) =>
		Object.entries(differences).find(([, names]) => names.includes(name))?.[0]

	it('cost the same, except for explained differences', () => {
		const unexplained = golden.flatMap((vector) => {
			const theirs = theirCost(vector)
			const ours = vector.lines && vector.cost !== null ? Number(vector.cost) : null
			const same = theirs === null ? ours === null : ours !== null && Math.abs(theirs - ours) <= 2
			return same === (reasonOf(vector.name) === undefined) ? [] : [{ name: vector.name, ours, theirs }]
		})
		expect(unexplained).toEqual([])
	})

	it('every explanation belongs to a vector', () => {
		const names = new Set(golden.map(({ name }) => name))
		expect(
			Object.values(differences)
				.flat()
				.filter((name) => !names.has(name)),
		).toEqual([])
	})
})

/** The package's names for the formats that it can read. */
const flavors: Record<string, string> = {
	openai: 'chat',
	response: 'responses',
	image: 'images',
	anthropic: 'default',
	gemini: 'default',
	converse: 'default',
}

/** Nano-dollars according to the package; null if it cannot read the object. */
function theirCost({ provider: kind, form, usage, model }: Golden): number | null {
	const provider = findProvider({ providerId: tableProvider(kind) })
	const flavor = kind === 'vertex' && form === 'anthropic' ? 'anthropic' : flavors[form]
	if (!provider || !flavor) return null
	const figures = form === 'gemini' ? { usageMetadata: usage, modelVersion: model } : { usage, model }
	try {
		const { usage: theirs } = extractUsage(provider, form === 'response' ? usage : figures, flavor)
		const price = calcPrice(theirs, model, { providerId: provider.id, timestamp: new Date(atMs) })
		return price ? Math.round(price.total_price * 1e9) : null
	} catch {
		return null
	}
}
