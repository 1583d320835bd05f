import { createPriceCall, type Dimension, linesOf } from '../../ledger/ledger.ts'
import type { SpanRow } from '../span-row.ts'
import {
	cost,
	costJson,
	costOrZero,
	first,
	firstText,
	type HotValues,
	langwatchMetrics,
	parseObject,
	serviceTier,
} from './names.ts'
import { pricedAs } from './provider.ts'
import { type PricedParts, type ReportedUsage, unwrapped } from './usage.ts'

type CostColumns = Pick<SpanRow, 'costNanoUsd' | 'costSource' | 'ledger'>

export const noCost: CostColumns = { costNanoUsd: null, costSource: '', ledger: [] }

/** Fits into a 64-bit column in nano-dollars, with room for sums. */
const maxDollars = 1e6
const nanoPerUsd = 1e9
const priceCall = createPriceCall()

interface CalledModel {
	provider: string
	model: string
	usage: ReportedUsage
	startNs: bigint
}

/**
 * The cost of a model call: the sender's if it reports one, otherwise computed from its tokens with our prices. The ledger always has
 * our prices.
 */
export function costOfSpan(values: HotValues, called: CalledModel): CostColumns {
	const { usage, model, startNs } = called
	const terms = { serviceTier: firstText(values, serviceTier) }
	const priced = priceCall({ ...pricedAs(called.provider, model), lines: pricedLines(usage), terms, startNs })
	const reported = reportedCost(values, usage)
	if (reported !== null) return { ...priced, costNanoUsd: reported, costSource: 'reported' }
	if (!usage.reported || priced.costNanoUsd === null) return { ...priced, costNanoUsd: null, costSource: '' }
	return { ...priced, costSource: 'computed' }
}

function pricedLines({ parts, ...usage }: ReportedUsage) {
	const quantities: Partial<Record<Dimension, number>> = {}
	/** Takes the parts out of a bucket; together they are never more than the bucket. */
	const split = (whole: Dimension, tokens: number, ...of: (keyof PricedParts)[]) => {
		let rest = tokens
		for (const part of of) {
			const quantity = Math.min(parts[part] ?? 0, rest)
			quantities[part] = quantity
			rest -= quantity
		}
		quantities[whole] = rest
	}
	split('in_text', usage.inputTokens, 'in_audio', 'in_image', 'in_video')
	split('cache_read', usage.cacheReadTokens, 'cache_read_audio', 'cache_read_image')
	split('cache_write_5m', usage.cacheWriteTokens, 'cache_write_1h')
	split('out_text', usage.outputTokens, 'out_audio', 'out_image')
	return linesOf({ ...quantities, out_reasoning: usage.reasoningTokens })
}

function reportedCost(values: HotValues, usage: ReportedUsage): bigint | null {
	const reported =
		first(values, cost) ??
		totalOf(parseObject(firstText(values, costJson))) ??
		unwrapped(firstText(values, langwatchMetrics)).cost
	const dollars =
		typeof reported === 'string'
			? Number(reported)
			: typeof reported === 'bigint'
				? Number(reported)
				: reported
	if (typeof dollars !== 'number' || !(dollars >= 0 && dollars <= maxDollars)) return null
	// An unknown cost is not a cost of zero; Pydantic AI reports 0 for a stream that ended before its usage came.
	if (dollars === 0 && (!usage.reported || first(values, costOrZero) !== undefined)) return null
	return BigInt(Math.round(dollars * nanoPerUsd))
}

/** Langfuse's details may contain only parts of the cost. */
function totalOf(details: Record<string, unknown>): unknown {
	if (details.total !== undefined) return details.total
	const parts = Object.values(details).filter((part) => typeof part === 'number')
	return parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0)
}
