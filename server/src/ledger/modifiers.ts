import { multiply, type Ratio, whole } from './cost.ts'
import { type Dimension, dimensions } from './dimensions.ts'
import { tableProvider } from './prices/price-book.ts'

/** Under which terms a provider served a call, as its answer says; '' where it says nothing. */
export interface Terms {
	serviceTier: string
	speed: string
	geo: string
	batch: boolean
}

export const ordinaryTerms: Terms = { serviceTier: '', speed: '', geo: '', batch: false }

interface Rule {
	providers: readonly string[]
	/** Only models whose name has this in it. */
	model?: string
	when: Partial<Terms>
	factor: Ratio
}

/** Terms under which the table's price holds. */
const ordinaryTiers = new Set([
	'',
	'auto',
	'default',
	'standard',
	'on_demand',
	'scale',
	'provisioned_throughput',
])

/**
 * Published factors on the prices of tokens that the imported table does not hold. Terms that no rule knows leave a
 * call unpriced: an operator's own price settles them.
 */
const rules: readonly Rule[] = [
	{ providers: ['openai', 'azure'], when: { batch: true }, factor: [1, 2] },
	{ providers: ['openai', 'azure'], when: { serviceTier: 'flex' }, factor: [1, 2] },
	{ providers: ['anthropic'], when: { batch: true }, factor: [1, 2] },
	{ providers: ['anthropic'], when: { serviceTier: 'batch' }, factor: [1, 2] },
	{ providers: ['anthropic'], model: 'opus', when: { speed: 'fast' }, factor: [2, 1] },
	{ providers: ['anthropic'], when: { geo: 'us' }, factor: [11, 10] },
	{ providers: ['google'], when: { batch: true }, factor: [1, 2] },
	{ providers: ['google'], when: { serviceTier: 'flex' }, factor: [1, 2] },
	{ providers: ['google'], when: { serviceTier: 'on_demand_flex' }, factor: [1, 2] },
	{ providers: ['google'], when: { serviceTier: 'priority' }, factor: [9, 5] },
	{ providers: ['google'], when: { serviceTier: 'on_demand_priority' }, factor: [9, 5] },
	{ providers: ['aws'], when: { batch: true }, factor: [1, 2] },
]

/** The factor on the price of a dimension under these terms; null when the terms have no known price. */
export function factorOf(provider: string, model: string, terms: Terms, dimension: Dimension): Ratio | null {
	if (dimensions[dimension].bucket === null) return whole
	const table = tableProvider(provider)
	let factor: Ratio = whole
	for (const [name, ordinary] of ordinaryRules) {
		const value = terms[name]
		if (ordinary(value as never)) continue
		// A batch is also reported by the tier: the two are one reduction.
		if (name === 'serviceTier' && value === 'batch' && terms.batch) continue
		const rule = rules.find(
			(candidate) =>
				candidate.providers.includes(table) &&
				candidate.when[name] === value &&
				(candidate.model === undefined || model.includes(candidate.model)),
		)
		if (!rule) return null
		factor = multiply(factor, rule.factor)
	}
	return factor
}

const ordinaryValues: { [Name in keyof Terms]: (value: Terms[Name]) => boolean } = {
	serviceTier: (tier) => ordinaryTiers.has(tier),
	speed: (speed) => speed === '' || speed === 'standard',
	geo: (geo) => geo === '' || geo === 'global' || geo === 'not_available',
	batch: (batch) => !batch,
}
const ordinaryRules = Object.entries(ordinaryValues) as [keyof Terms, (value: never) => boolean][]
