import { linesOf, tokenBuckets, type UsageLine } from '../../ledger/index.ts'
import type { SpanRow } from '../../telemetry/index.ts'
import type { Reading } from './providers/provider.ts'

/** The quantities that a call is billed by, and how they are known. */
export interface SettledUsage {
	lines: readonly UsageLine[]
	source: SpanRow['usageSource']
}

/** A token is about four bytes of text; an estimate is always marked as one. */
const bytesPerToken = 4

/**
 * What a call used: reported by the provider, else estimated from what was generated, else missing. `leftAlone`: the
 * client went away while the provider worked, so that at least the input counts.
 */
export function settleUsage(
	reading: Pick<Reading, 'usage' | 'complete' | 'generatedBytes'> | null,
	modelCall: boolean,
	requestBytes: number,
	leftAlone = false,
): SettledUsage {
	if (!modelCall) return { lines: [], source: '' }
	const usage = reading?.usage
	const generated = Math.ceil((reading?.generatedBytes ?? 0) / bytesPerToken)
	if (usage && reading.complete) return { lines: usage.lines, source: 'reported' }
	if (usage) {
		const unreported = generated - tokenBuckets(usage.lines).outputTokens
		return { lines: [...usage.lines, ...linesOf({ out_text: unreported })], source: 'estimated' }
	}
	if (generated === 0 && !leftAlone) return { lines: [], source: 'missing' }
	const in_text = Math.ceil(requestBytes / bytesPerToken)
	return { lines: linesOf({ in_text, out_text: generated }), source: 'estimated' }
}
