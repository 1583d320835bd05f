/**
 * What providers bill, each in its own unit. The dimensions are exclusive: a token is counted in one of them. `bucket` is the
 * column that shows it, null if it is not counted in tokens. `instead` names the dimensions whose price applies if a model has
 * none for this one: audio input is input, thinking is output.
 */
export const dimensions = {
	in_text: { bucket: 'inputTokens', instead: [] },
	in_audio: { bucket: 'inputTokens', instead: ['in_text'] },
	in_image: { bucket: 'inputTokens', instead: ['in_text'] },
	in_video: { bucket: 'inputTokens', instead: ['in_text'] },
	cache_read: { bucket: 'cacheReadTokens', instead: ['in_text'] },
	cache_read_audio: { bucket: 'cacheReadTokens', instead: ['cache_read', 'in_audio', 'in_text'] },
	cache_read_image: { bucket: 'cacheReadTokens', instead: ['cache_read', 'in_image', 'in_text'] },
	cache_write_5m: { bucket: 'cacheWriteTokens', instead: ['in_text'] },
	cache_write_30m: { bucket: 'cacheWriteTokens', instead: ['cache_write_5m', 'in_text'] },
	cache_write_1h: { bucket: 'cacheWriteTokens', instead: ['cache_write_5m', 'in_text'] },
	cache_write_12h: { bucket: 'cacheWriteTokens', instead: ['cache_write_5m', 'in_text'] },
	tool_prompt: { bucket: 'inputTokens', instead: ['in_text'] },
	out_text: { bucket: 'outputTokens', instead: [] },
	out_reasoning: { bucket: 'reasoningTokens', instead: ['out_text'] },
	out_audio: { bucket: 'outputTokens', instead: ['out_text'] },
	out_image: { bucket: 'outputTokens', instead: ['out_text'] },
	out_video: { bucket: 'outputTokens', instead: ['out_text'] },
	out_citation: { bucket: 'outputTokens', instead: ['out_text'] },
	pred_rejected: { bucket: 'outputTokens', instead: ['out_text'] },
	request: { bucket: null, instead: [] },
	web_search: { bucket: null, instead: [] },
	web_fetch: { bucket: null, instead: [] },
	grounding_query: { bucket: null, instead: ['web_search'] },
	file_search: { bucket: null, instead: [] },
	code_exec_s: { bucket: null, instead: [] },
	image_count: { bucket: null, instead: [] },
	audio_s: { bucket: null, instead: [] },
	cache_storage_token_hours: { bucket: null, instead: [] },
	/** The cost that the provider itself reports, in nano-dollars. */
	reported_cost: { bucket: null, instead: [] },
} as const satisfies Record<string, { bucket: string | null; instead: readonly string[] }>

export type Dimension = keyof typeof dimensions

const ofContext: ReadonlySet<string | null> = new Set(['inputTokens', 'cacheReadTokens', 'cacheWriteTokens'])

/** Whether the dimension is part of the model's context: some prices depend on its length. */
export function isContext(dimension: Dimension): boolean {
	return ofContext.has(dimensions[dimension].bucket)
}

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
