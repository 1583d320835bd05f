import type { PriceCall } from '../../../ledger/index.ts'
import type { CachedCall } from './cached-call.ts'
import type { Miss } from './explain-miss.ts'

/** Finds the price at which a call could have read from the cache, in nano-dollars for 1,000,000 tokens; null: none. */
export type FindReadRate = (call: CachedCall) => number | null

/** What was paid for the missed tokens beyond reading them from the cache; null where a price is not known. */
export function extraCost({ call, before, missedTokens }: Miss, findReadRate: FindReadRate): bigint | null {
	const fromWritten = Math.min(missedTokens, call.written.tokens)
	const paidWritten = shareOf(call.written, fromWritten)
	const paidRest = shareOf(call.rest, missedTokens - fromWritten)
	const sameModel = call.model === before.model && call.connection === before.connection
	const rate = call.readRate ?? (sameModel ? before.readRate : null) ?? findReadRate(call)
	if (paidWritten === null || paidRest === null || rate === null) return null
	return paidWritten + paidRest - (BigInt(missedTokens) * BigInt(Math.round(rate))) / 1_000_000n
}

function shareOf({ tokens, costNanoUsd }: CachedCall['rest'], wanted: number): bigint | null {
	if (wanted === 0) return 0n
	return costNanoUsd === null || tokens === 0 ? null : (costNanoUsd * BigInt(wanted)) / BigInt(tokens)
}

/** By the prices of the workspace, for a prompt as long as the call's: some prices rise with its length. */
export function readRateOf(workspaceId: string, priceCall: PriceCall): FindReadRate {
	return ({ provider, model, connection, startNs, read, written, rest }) => {
		const quantity = read.tokens + written.tokens + rest.tokens
		const lines = [{ dimension: 'cache_read' as const, quantity, iteration: 0, model: '' }]
		const [entry] = priceCall({ provider, model, connection, startNs, workspaceId, lines }).ledger
		if (!entry || entry.rate === null) return null
		const [numerator = 1, denominator = 1] = entry.factor.split('/').filter(Boolean).map(Number)
		return (entry.rate * numerator) / denominator
	}
}
