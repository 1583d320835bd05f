import type { Provider, Vendor } from '@signalbox/contract'
import {
	linesOf,
	type PriceCall,
	type TokenBuckets,
	tokenBuckets,
	type UsageLine,
} from '../../ledger/ledger.ts'
import type { SpanRow } from '../../telemetry/index.ts'
import { notSentErrorTypes } from './call-allowance.ts'
import type { Reading } from './providers/provider.ts'

/** The billed quantities of a call, and their source. */
interface SettledUsage {
	lines: readonly UsageLine[]
	source: SpanRow['usageSource']
}

/** Roughly four bytes of text per token. An estimate is always marked as one. */
const bytesPerToken = 4

/**
 * What a call used: reported by the provider, otherwise estimated from the generated text, otherwise missing. `leftAlone`: the
 * connection ended while the provider worked, so at least the input counts.
 */
function settleUsage(
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

type BilledCall = Pick<
	SpanRow,
	'kind' | 'requestBytes' | 'modelRequested' | 'provider' | 'connection' | 'startNs' | 'workspaceId'
>
/** How the call ended; see `EndFacts`. */
interface BilledEnd {
	step: { connection: string; provider: Provider; vendor?: Vendor; model: string | null } | null
	ending: { kind: 'complete' | 'client_gone' | 'refused' | 'failed' }
	sent: boolean
	deferred: boolean
	answered: number | null
	httpStatus: number | null
}
type RowReading = Omit<Reading, 'objects' | 'results' | 'deferred'>
type Bill = Pick<
	SpanRow,
	'kind' | 'provider' | 'connection' | 'model' | 'usageSource' | 'costNanoUsd' | 'ledger'
> &
	TokenBuckets

/** The usage of a call and its cost. */
export function billOf(
	call: BilledCall,
	figures: BilledEnd,
	errorType: string,
	reading: RowReading | null,
	priceCall: PriceCall,
): Bill {
	const { step, ending } = figures
	// Work in the background of a provider counts as a call when it is over.
	const modelCall = call.kind === 'model_call' && !figures.deferred
	// A provider that was interrupted bills the input.
	const answeredError = (figures.answered ?? 0) >= 400
	const cut = ending.kind === 'client_gone' || ending.kind === 'refused'
	const leftAlone = cut && figures.sent && !answeredError
	const model = reading?.model || step?.model || call.modelRequested
	const { lines, source } = settleUsage(reading, modelCall, call.requestBytes, leftAlone)
	const provider = step?.vendor ?? step?.provider ?? call.provider
	const kind = step?.provider ?? provider
	const connection = step?.connection ?? call.connection
	const { startNs, workspaceId } = call
	const terms = termsOf(reading)
	const priced = priceCall({ provider, kind, model, lines, terms, startNs, workspaceId, connection })
	// Refusals are not billed. A call that ran without usage figures is unpriced.
	const refused = ending.kind !== 'failed' && (figures.httpStatus ?? 0) >= 400
	const free = refused || notSentErrorTypes.has(errorType)
	const cost = source === 'missing' ? (free ? 0n : null) : priced.costNanoUsd
	const buckets = tokenBuckets(lines)
	return {
		kind: modelCall ? call.kind : 'other',
		provider,
		connection,
		model,
		inputTokens: buckets.inputTokens,
		cacheReadTokens: buckets.cacheReadTokens,
		cacheWriteTokens: buckets.cacheWriteTokens,
		outputTokens: buckets.outputTokens,
		reasoningTokens: buckets.reasoningTokens,
		usageSource: source,
		costNanoUsd: modelCall ? cost : null,
		ledger: priced.ledger,
	}
}

function termsOf(reading: RowReading | null) {
	if (!reading) return {}
	const { serviceTier, speed, geo } = reading
	return { serviceTier, speed, geo }
}
