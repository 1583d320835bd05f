import { tokenBuckets, type Usage } from '../../../ledger/ledger.ts'

/** Tokens in the order input, cache read, cache write, output, reasoning. */
export type Buckets = [number, number, number, number, number]

export function bucketsOf(usage: Usage | null): Buckets | null {
	if (!usage) return null
	const buckets = tokenBuckets(usage.lines)
	return [
		buckets.inputTokens,
		buckets.cacheReadTokens,
		buckets.cacheWriteTokens,
		buckets.outputTokens,
		buckets.reasoningTokens,
	]
}

/** A usage object of OpenAI's chat completions. */
export const prompt = (
	prompt_tokens: number,
	completion_tokens: number,
	cached = 0,
	written = 0,
	reasoning = 0,
) => ({
	prompt_tokens,
	completion_tokens,
	prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
	completion_tokens_details: { reasoning_tokens: reasoning },
})

/** Cache writes of Anthropic's messages, split by lifetime. */
export const write = (total: number, fiveMinutes: number, oneHour: number) => ({
	cache_creation_input_tokens: total,
	cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: oneHour },
})
