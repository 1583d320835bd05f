import type { SpanRow } from '../telemetry/index.ts'
import type { Reading } from './providers/provider.ts'

export type UsageColumns = Pick<
	SpanRow,
	'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'outputTokens' | 'reasoningTokens' | 'usageSource'
>

const none = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 }
/** A token is about four bytes of text; an estimate is always marked as one. */
const bytesPerToken = 4

/** The tokens of a call: reported by the provider, else estimated from what was generated, else missing. */
export function settleUsage(reading: Reading | null, modelCall: boolean, requestBytes: number): UsageColumns {
	if (!modelCall) return { ...none, usageSource: '' }
	const usage = reading?.usage
	const generated = Math.ceil((reading?.generatedBytes ?? 0) / bytesPerToken)
	if (usage) {
		const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage
		const told = { inputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens }
		if (reading.complete) return { ...told, outputTokens, usageSource: 'reported' }
		return { ...told, outputTokens: Math.max(outputTokens, generated), usageSource: 'estimated' }
	}
	if (generated === 0) return { ...none, usageSource: 'missing' }
	const inputTokens = Math.ceil(requestBytes / bytesPerToken)
	return { ...none, inputTokens, outputTokens: generated, usageSource: 'estimated' }
}
