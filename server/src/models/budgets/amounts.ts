import type { Dimension, UsageLine } from '../../ledger/index.ts'
import type { BudgetContext } from './context.ts'

/** A call that asks for money. */
export interface PlannedCall {
	workspaceId: string
	connection: string
	provider: string
	model: string
	startNs: bigint
}

/** What a call may take of a budget. */
export interface Amounts {
	whole: number
	/** Of the output alone. */
	output: number
	/** Of a thousand tokens of output. */
	perThousand: number
}

/** What tokens of input and output may cost; null: the model has no price. */
export function boundOfCost(
	{ priceCall }: Pick<BudgetContext, 'priceCall'>,
	call: PlannedCall,
	inputTokens: number,
	outputTokens: number,
): Amounts | null {
	// Nobody knows yet how much of the input will be written to a cache, which costs more: the dearest counts. Each stands in
	// an iteration of its own, since prices rise with the input of one.
	const lines = [
		line('out_text', outputTokens, 0),
		line('in_text', inputTokens, 0),
		line('cache_write_5m', inputTokens, 1),
		line('cache_write_1h', inputTokens, 2),
		line('out_text', 1000, 0),
	].filter(({ quantity }) => quantity > 0)
	const { costNanoUsd, ledger } = priceCall({ ...call, lines })
	if (costNanoUsd === null) return null
	const costs = ledger.map((entry) => Number(entry.costNanoUsd))
	const perThousand = costs.pop() ?? 0
	const output = outputTokens > 0 ? (costs.shift() ?? 0) : 0
	return { whole: output + Math.max(0, ...costs), output, perThousand }
}

function line(dimension: Dimension, quantity: number, iteration: number): UsageLine {
	return { dimension, quantity, iteration, model: '' }
}
