import { linesOf, type Usage } from '../../../ledger/index.ts'
import { countOr0, countOrNull, type Fields, fieldsIn } from '../wire-values.ts'

/**
 * The usage object of chat completions, embeddings and responses as billed quantities. Cached, cache-written, audio and
 * image tokens are parts of the prompt; reasoning, audio and rejected predictions are parts of the completion. Null when
 * there are no figures.
 */
export function readUsage(value: unknown): Usage | null {
	const usage = fieldsIn(value)
	if (!usage) return null
	const prompt = countOrNull(usage.prompt_tokens) ?? countOrNull(usage.input_tokens)
	const completion = countOrNull(usage.completion_tokens) ?? countOrNull(usage.output_tokens)
	if (prompt === null && completion === null) return null
	const input = readInput(fieldsIn(usage.prompt_tokens_details) ?? fieldsIn(usage.input_tokens_details) ?? {})
	const output = readOutput(
		fieldsIn(usage.completion_tokens_details) ?? fieldsIn(usage.output_tokens_details) ?? {},
	)
	const in_text = (prompt ?? 0) - sum(input)
	const out_text = (completion ?? 0) - sum(output)
	return {
		lines: linesOf({ in_text, ...input, out_text, ...output }),
		inconsistent: in_text < 0 || out_text < 0,
	}
}

function readInput(parts: Fields) {
	const written = countOr0(parts.cache_write_tokens)
	const longLived = countOr0(fieldsIn(parts.cache_write_tokens_details)?.ttl_12h_tokens)
	return {
		cache_read: countOr0(parts.cached_tokens),
		cache_write_30m: Math.max(0, written - longLived),
		cache_write_12h: longLived,
		in_audio: countOr0(parts.audio_tokens),
		in_image: countOr0(parts.image_tokens),
	}
}

function readOutput(parts: Fields) {
	return {
		out_reasoning: countOr0(parts.reasoning_tokens),
		out_audio: countOr0(parts.audio_tokens),
		out_image: countOr0(parts.image_tokens),
		pred_rejected: countOr0(parts.rejected_prediction_tokens),
	}
}

function sum(quantities: Record<string, number>): number {
	return Object.values(quantities).reduce((total, quantity) => total + quantity, 0)
}
