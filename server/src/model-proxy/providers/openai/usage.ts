import type { Usage } from '../provider.ts'
import { countOr0, countOrNull, fieldsIn } from '../wire-values.ts'

/**
 * The usage object of chat completions, embeddings and responses in exclusive buckets. Cached and cache-written
 * tokens are parts of the prompt, reasoning is a part of the completion. Null when there are no figures.
 */
export function readUsage(value: unknown): Usage | null {
	const usage = fieldsIn(value)
	if (!usage) return null
	const prompt = countOrNull(usage.prompt_tokens) ?? countOrNull(usage.input_tokens)
	const completion = countOrNull(usage.completion_tokens) ?? countOrNull(usage.output_tokens)
	if (prompt === null && completion === null) return null
	const promptParts = fieldsIn(usage.prompt_tokens_details) ?? fieldsIn(usage.input_tokens_details) ?? {}
	const outputParts = fieldsIn(usage.completion_tokens_details) ?? fieldsIn(usage.output_tokens_details) ?? {}
	const cacheReadTokens = countOr0(promptParts.cached_tokens)
	const cacheWriteTokens = countOr0(promptParts.cache_write_tokens)
	const reasoningTokens = countOr0(outputParts.reasoning_tokens)
	const input = (prompt ?? 0) - cacheReadTokens - cacheWriteTokens
	const output = (completion ?? 0) - reasoningTokens
	return {
		inputTokens: Math.max(0, input),
		cacheReadTokens,
		cacheWriteTokens,
		outputTokens: Math.max(0, output),
		reasoningTokens,
		cacheWrite1hTokens: 0,
		inconsistent: input < 0 || output < 0,
	}
}
