import { priceUsage, totalOf } from './ledger/price-usage.ts'
import type { FindPrice } from './ledger/prices/find-price.ts'
import type { UsageLine } from './ledger/usage.ts'
import type { Reading } from './providers/provider.ts'
import type { SettledUsage } from './settle-usage.ts'

export interface CallToPrice {
	provider: string
	model: string
	lines: readonly UsageLine[]
	usageSource: SettledUsage['source']
	/** Whether the provider or we refused it: nobody bills a refusal. */
	refused: boolean
	reading: Reading | null
	startNs: bigint
}

/** What a call cost in nano-dollars; null when a part of it has no known price: unpriced is not free. */
export type PriceCall = (call: CallToPrice) => bigint | null

const nsPerMs = 1_000_000n

export function createPriceCall(find: FindPrice): PriceCall {
	return ({ provider, model, lines, usageSource, refused, reading, startNs }) => {
		if (usageSource === 'missing') return refused ? 0n : null
		const { serviceTier = '', speed = '', geo = '' } = reading ?? {}
		const terms = { serviceTier, speed, geo, batch: false }
		const atMs = Number(startNs / nsPerMs)
		const { nanoUsd, complete } = totalOf(priceUsage(find, { provider, model, lines, terms, atMs }))
		return complete ? nanoUsd : null
	}
}
