import { type Dimension, dimensions } from './dimensions.ts'

/** One billed quantity of a call. */
export interface UsageLine {
	dimension: Dimension
	/** A whole number of the dimension's units. */
	quantity: number
	/** Providers may run models more than once for one request: 0 is the answer itself. */
	iteration: number
	/** The model that ran, as the provider names it; '' for the model of the call. */
	model: string
}

/** Tokens in exclusive buckets: they add up. */
export interface TokenBuckets {
	inputTokens: number
	cacheReadTokens: number
	cacheWriteTokens: number
	outputTokens: number
	reasoningTokens: number
}

/** What a provider said that a call used. */
export interface Usage {
	lines: readonly UsageLine[]
	/** The provider's figures contradict each other; what would be negative is zero. */
	inconsistent: boolean
}

/** The lines of one iteration; quantities of zero have none. */
export function linesOf(
	quantities: Partial<Record<Dimension, number>>,
	iteration = 0,
	model = '',
): UsageLine[] {
	const lines: UsageLine[] = []
	for (const name in quantities) {
		const dimension = name as Dimension
		const quantity = quantities[dimension] ?? 0
		if (quantity > 0) lines.push({ dimension, quantity, iteration, model })
	}
	return lines
}

/** Sums the lines over all iterations; what is not counted in tokens is left out. */
export function tokenBuckets(lines: readonly UsageLine[]): TokenBuckets {
	const buckets = {
		inputTokens: 0,
		cacheReadTokens: 0,
		cacheWriteTokens: 0,
		outputTokens: 0,
		reasoningTokens: 0,
	}
	for (const { dimension, quantity } of lines) {
		const bucket = dimensions[dimension].bucket
		if (bucket) buckets[bucket] += quantity
	}
	return buckets
}
