import type { Usage } from '../provider.ts'
import { countOr0, type Fields, fieldsIn } from '../wire-values.ts'

/** Kinds of iteration whose tokens are billed but not part of the top-level figures. */
const extraIterations = new Set(['compaction', 'advisor_message'])

/**
 * Newer figures of a stream over older ones, field by field: they are cumulative, so they are never added, and what
 * is null, absent or smaller says nothing.
 */
export function mergeUsage(older: Fields | null, newer: Fields | null): Fields | null {
	if (!older || !newer) return newer ?? older
	const merged: Fields = { ...older }
	for (const [name, value] of Object.entries(newer)) {
		if (value !== null) merged[name] = laterOf(older[name], value)
	}
	return merged
}

function laterOf(older: unknown, newer: unknown): unknown {
	return typeof older === 'number' && typeof newer === 'number' ? Math.max(older, newer) : newer
}

/**
 * The usage object of messages in exclusive buckets. `input_tokens` is already without cache reads and writes;
 * thinking is a part of the output. Null when there are no figures.
 */
export function readUsage(value: unknown): Usage | null {
	const usage = fieldsIn(value)
	if (!usage || (usage.input_tokens == null && usage.output_tokens == null)) return null
	const total = readFigures(usage)
	for (const iteration of Array.isArray(usage.iterations) ? usage.iterations : []) {
		const part = fieldsIn(iteration)
		if (part && extraIterations.has(String(part.type))) add(total, readFigures(part))
	}
	return total
}

function readFigures(usage: Fields): Usage {
	const thinking = countOr0(fieldsIn(usage.output_tokens_details)?.thinking_tokens)
	const output = countOr0(usage.output_tokens) - thinking
	const split = fieldsIn(usage.cache_creation)
	const fiveMinutes = countOr0(split?.ephemeral_5m_input_tokens)
	const oneHour = countOr0(split?.ephemeral_1h_input_tokens)
	// The total counts where it is larger than its parts: the rest is of the 5-minute kind.
	const cacheWriteTokens = Math.max(countOr0(usage.cache_creation_input_tokens), fiveMinutes + oneHour)
	return {
		inputTokens: countOr0(usage.input_tokens),
		cacheReadTokens: countOr0(usage.cache_read_input_tokens),
		cacheWriteTokens,
		outputTokens: Math.max(0, output),
		reasoningTokens: thinking,
		cacheWrite1hTokens: oneHour,
		inconsistent: output < 0,
	}
}

function add(total: Usage, part: Usage): void {
	total.inputTokens += part.inputTokens
	total.cacheReadTokens += part.cacheReadTokens
	total.cacheWriteTokens += part.cacheWriteTokens
	total.outputTokens += part.outputTokens
	total.reasoningTokens += part.reasoningTokens
	total.cacheWrite1hTokens += part.cacheWrite1hTokens
	total.inconsistent ||= part.inconsistent
}
