import { createPriceCall, linesOf } from '../../ledger/index.ts'
import type { SpanRow } from '../span-row.ts'
import { first, firstText, type HotValues } from './hot-keys.ts'
import { cost, costJson, costOrZero } from './names.ts'
import { pricedAs } from './provider.ts'
import { parseObject, type ReportedUsage } from './usage.ts'

type CostColumns = Pick<SpanRow, 'costNanoUsd' | 'costSource' | 'ledger'>

export const noCost: CostColumns = { costNanoUsd: null, costSource: '', ledger: [] }

/** Fits a column of 64 bits with room for sums. */
const mostDollars = 1e6
const nanoPerUsd = 1e9
const priceCall = createPriceCall()

export interface CalledModel {
	provider: string
	model: string
	usage: ReportedUsage
	startNs: bigint
}

/** What a model call cost: what the sender says of it wins, else our prices of its tokens; the ledger has our prices. */
export function costOfSpan(values: HotValues, called: CalledModel): CostColumns {
	const { usage, model, startNs } = called
	const lines = linesOf({
		in_text: usage.inputTokens,
		cache_read: usage.cacheReadTokens,
		cache_write_5m: usage.cacheWriteTokens,
		out_text: usage.outputTokens,
		out_reasoning: usage.reasoningTokens,
	})
	const priced = priceCall({ ...pricedAs(called.provider, model), lines, startNs })
	const reported = reportedCost(values)
	if (reported !== null) return { ...priced, costNanoUsd: reported, costSource: 'reported' }
	if (!usage.reported || priced.costNanoUsd === null) return { ...priced, costNanoUsd: null, costSource: '' }
	return { ...priced, costSource: 'computed' }
}

function reportedCost(values: HotValues): bigint | null {
	const told = first(values, cost) ?? totalOf(parseObject(firstText(values, costJson)))
	const dollars = typeof told === 'string' ? Number(told) : typeof told === 'bigint' ? Number(told) : told
	if (typeof dollars !== 'number' || !(dollars >= 0 && dollars <= mostDollars)) return null
	// Unknown is not free.
	if (dollars === 0 && first(values, costOrZero) !== undefined) return null
	return BigInt(Math.round(dollars * nanoPerUsd))
}

/** Langfuse's details may be of the parts alone. */
function totalOf(details: Record<string, unknown>): unknown {
	if (details.total !== undefined) return details.total
	const parts = Object.values(details).filter((part) => typeof part === 'number')
	return parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0)
}
