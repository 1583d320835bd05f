import { linesOf, type Usage } from '../../../../ledger/index.ts'
import { countOr0, countOrNull, type Fields, fieldsIn } from '../wire-values.ts'

/**
 * The usage object of Converse as billed quantities: `inputTokens` is without cache reads and writes, and `cacheDetails`
 * says for how long was written. Null when there are no figures.
 */
export function readUsage(value: unknown): Usage | null {
	const usage = fieldsIn(value)
	if (!usage || (countOrNull(usage.inputTokens) === null && countOrNull(usage.outputTokens) === null))
		return null
	const cache_write_1h = writtenFor('1h', usage.cacheDetails)
	const written = countOr0(usage.cacheWriteInputTokens ?? usage.cacheWriteInputTokenCount)
	const quantities = {
		in_text: countOr0(usage.inputTokens),
		cache_read: countOr0(usage.cacheReadInputTokens ?? usage.cacheReadInputTokenCount),
		cache_write_5m: Math.max(written - cache_write_1h, writtenFor('5m', usage.cacheDetails)),
		cache_write_1h,
		out_text: countOr0(usage.outputTokens),
	}
	return { lines: linesOf(quantities), inconsistent: cache_write_1h > written && written > 0 }
}

function writtenFor(ttl: string, details: unknown): number {
	const entries = (Array.isArray(details) ? details : []).map(fieldsIn)
	return entries.reduce((sum, entry) => (entry?.ttl === ttl ? sum + countOr0(entry.inputTokens) : sum), 0)
}

/** What the models that InvokeModel runs call their figures, each in its own words; null when there are none. */
export function readNativeUsage(body: Fields): Usage | null {
	const metrics = fieldsIn(body['amazon-bedrock-invocationMetrics'])
	const tokens = countsIn(metrics ?? body)
	if (tokens) return { lines: linesOf(tokens), inconsistent: false }
	return readUsage(body.usage)
}

function countsIn(body: Fields) {
	const input = countOrNull(body.inputTokenCount ?? body.prompt_token_count ?? body.inputTextTokenCount)
	const output = countOrNull(body.outputTokenCount ?? body.generation_token_count)
	if (input === null && output === null) return null
	return {
		in_text: input ?? 0,
		cache_read: countOr0(body.cacheReadInputTokenCount),
		cache_write_5m: countOr0(body.cacheWriteInputTokenCount),
		out_text: output ?? 0,
	}
}
