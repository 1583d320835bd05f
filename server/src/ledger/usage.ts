import { type Dimension, dimensions } from './dimensions.ts'

/** One billed quantity of a call. */
export interface UsageLine {
	dimension: Dimension
	/** An integer in the dimension's unit. */
	quantity: number
	/** Providers may run models more than once for one request. 0 is the answer itself. */
	iteration: number
	/** The model that ran, by the provider's name; '' for the model of the call. */
	model: string
}

/** Tokens in exclusive buckets, which can be added up. */
export interface TokenBuckets {
	inputTokens: number
	cacheReadTokens: number
	cacheWriteTokens: number
	outputTokens: number
	reasoningTokens: number
}

/** The usage that a provider reported for a call. */
export interface Usage {
	lines: readonly UsageLine[]
	/** Whether the provider's figures contradict each other. A figure that would be negative is set to zero. */
	inconsistent: boolean
}

/** The lines of one iteration, without zero quantities. */
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

/** Sums the lines over all iterations, without what is not counted in tokens. */
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
