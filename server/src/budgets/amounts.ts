import type { Dimension, UsageLine } from '../ledger/index.ts'
import type { BudgetContext } from './context.ts'

/** A call that asks for money. */
export interface PlannedCall {
	workspaceId: string
	connection: string
	provider: string
	model: string
	startNs: bigint
}

/** What tokens of input and output may cost; null: the model has no price. */
export function boundOfCost(
	{ priceCall }: Pick<BudgetContext, 'priceCall'>,
	call: PlannedCall,
	inputTokens: number,
	outputTokens: number,
): number | null {
	let most: bigint | null = null
	// Nobody knows yet how much of the input will be written to a cache, which costs more.
	for (const input of ['in_text', 'cache_write_5m', 'cache_write_1h'] as const) {
		const lines = [line(input, inputTokens), line('out_text', outputTokens)]
		const { costNanoUsd } = priceCall({ ...call, lines })
		if (costNanoUsd === null) return null
		if (most === null || costNanoUsd > most) most = costNanoUsd
	}
	return Number(most ?? 0n)
}

function line(dimension: Dimension, quantity: number): UsageLine {
	return { dimension, quantity, iteration: 0, model: '' }
}
