import type { Dimension, PriceCall, PricedCall } from '../../../ledger/index.ts'
import type { StoredCall } from './repository.ts'

/** What the ledger would say of a recorded call now. `ownAtMs`: see `CallTerms`. */
export function priceAnew(
	priceCall: PriceCall,
	workspaceId: string,
	call: StoredCall,
	ownAtMs: number | null,
): PricedCall {
	const { provider, model, connection, service_tier: serviceTier, speed, geo } = call
	const lines = call.dimensions.map((dimension, at) => ({
		dimension: dimension as Dimension,
		quantity: Number(call.quantities[at]),
		iteration: call.iterations[at] ?? 0,
		model: call.models[at] ?? '',
	}))
	const terms = { serviceTier, speed, geo, batch: call.batch === 1 }
	const startNs = BigInt(call.start_ns)
	const asked = { provider, model, lines, terms, startNs, workspaceId, connection }
	return priceCall(ownAtMs === null ? asked : { ...asked, ownAtMs })
}

/** Whether any amount, rate, factor or origin is another one. */
export function differs(call: StoredCall, { costNanoUsd, ledger }: PricedCall): boolean {
	if (textOf(costNanoUsd) !== call.cost) return true
	return ledger.some(
		({ costNanoUsd: cost, rate, factor, price }, at) =>
			textOf(cost) !== call.costs[at] ||
			textOf(rate) !== call.rates[at] ||
			factor !== call.factors[at] ||
			price !== call.prices[at],
	)
}

/** A row of `VersionPart.rows`. Numbers are written by hand: they may be larger than JSON's. */
export function versionOf({ trace, span }: StoredCall, { costNanoUsd, ledger }: PricedCall): string {
	const list = (values: readonly (bigint | number | null)[]) => `[${values.map(String).join(',')}]`
	const texts = {
		key: trace + span,
		factors: ledger.map(({ factor }) => factor),
		prices: ledger.map(({ price }) => price),
	}
	const costs = list(ledger.map(({ costNanoUsd: cost }) => cost))
	const rates = list(ledger.map(({ rate }) => rate))
	return `{"cost":${costNanoUsd},"costs":${costs},"rates":${rates},${JSON.stringify(texts).slice(1)}`
}

function textOf(amount: bigint | number | null): string | null {
	return amount === null ? null : String(amount)
}
