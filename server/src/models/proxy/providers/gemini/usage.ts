import { type Dimension, linesOf, type Usage } from '../../../../ledger/ledger.ts'
import { countOrNull, countOrZero, type Fields, fieldsIn, isAnyUnreadable, sumOf } from '../provider.ts'

/** Media with prices of their own; documents count as text. */
type Kind = 'AUDIO' | 'IMAGE' | 'VIDEO'

/**
 * `usageMetadata` as billed quantities. The prompt includes cached tokens; thinking and tool results are not included in prompt
 * and candidates. Null if there are no figures.
 */
export function readUsage(value: unknown, searches = 0): Usage | null {
	const usage = fieldsIn(value)
	if (!usage) return null
	const prompt = countOrNull(usage.promptTokenCount)
	const candidates = countOrNull(usage.candidatesTokenCount) ?? countOrNull(usage.responseTokenCount)
	if (prompt === null && candidates === null && countOrNull(usage.thoughtsTokenCount) === null) return null
	const cached = countOrZero(usage.cachedContentTokenCount)
	const read = byKind(usage.promptTokensDetails)
	const kept = byKind(usage.cacheTokensDetails)
	const made = byKind(usage.candidatesTokensDetails ?? usage.responseTokensDetails)
	const fresh = (kind: Kind) => Math.max(0, read[kind] - kept[kind])
	const input = { in_audio: fresh('AUDIO'), in_image: fresh('IMAGE'), in_video: fresh('VIDEO') }
	const output = { out_audio: made.AUDIO, out_image: made.IMAGE, out_video: made.VIDEO }
	const in_text = (prompt ?? 0) - cached - sumOf(input)
	const cache_read = cached - kept.AUDIO - kept.IMAGE
	const out_text = (candidates ?? 0) - sumOf(output)
	const quantities: Partial<Record<Dimension, number>> = {
		...{ in_text, ...input, cache_read, cache_read_audio: kept.AUDIO, cache_read_image: kept.IMAGE },
		...{ tool_prompt: countOrZero(usage.toolUsePromptTokenCount), out_text, ...output },
		...{ out_reasoning: countOrZero(usage.thoughtsTokenCount), grounding_query: searches },
	}
	const figures = [usage.promptTokenCount, usage.candidatesTokenCount, usage.thoughtsTokenCount]
	const isClamped = in_text < 0 || cache_read < 0 || out_text < 0
	return { lines: linesOf(quantities), inconsistent: isClamped || isAnyUnreadable(figures) }
}

/** The number of billed searches: each query, but for models before Gemini 3 one for the whole request. */
export function billedSearches(queries: number, model: string): number {
	return /gemini-(1|2)/.test(model) ? Math.min(queries, 1) : queries
}

/** `serviceTier` of the Gemini API or `trafficType` of Vertex AI, in lower case; '' for the ordinary tier. */
export function tierOf(usage: Fields | null): string {
	const tier = usage?.serviceTier ?? usage?.trafficType
	if (typeof tier !== 'string' || /unspecified/i.test(tier)) return ''
	return tier.toLowerCase()
}

function byKind(details: unknown): Record<Kind, number> {
	const counts = { AUDIO: 0, IMAGE: 0, VIDEO: 0 }
	for (const entry of Array.isArray(details) ? details : []) {
		const { modality, tokenCount } = fieldsIn(entry) ?? {}
		if (typeof modality === 'string' && Object.hasOwn(counts, modality))
			counts[modality as Kind] += countOrZero(tokenCount)
	}
	return counts
}
