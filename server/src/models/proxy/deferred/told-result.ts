import type { UsageLine } from '../../../ledger/index.ts'
import type { ReadResult } from '../providers/provider.ts'
import type { ReadingTold } from '../reading-attributes.ts'

/** A result as a job carries it: plain JSON. */
export interface ToldResult {
	/** See `resultKey`. */
	key: string
	/** As the provider names it. */
	name: string
	model: string
	lines: readonly UsageLine[]
	reading: ReadingTold
}

export function toTold(key: string, { key: name, reading }: ReadResult): ToldResult {
	const { model, responseId, finishReason, serviceTier, speed, geo, rawUsage, usage } = reading
	const told = { responseId, finishReason, serviceTier, speed, geo, rawUsage, usage }
	return { key, name: name.slice(0, 256), model, lines: usage?.lines ?? [], reading: told }
}
