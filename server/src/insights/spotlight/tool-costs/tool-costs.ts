import { type OutputOf, type QueryOf, toolCostOperations } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/ledger.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn } from '../../../platform/http/route.ts'
import { readTimeRange, type TimeRange } from '../../../platform/time-range.ts'
import type { QueryStore } from '../counted-calls.ts'
import { sumInput, sumTools, type ToolSums } from './tool-cost-repository.ts'

type Operation = (typeof toolCostOperations)['tool_costs']
type ToolCost = OutputOf<Operation>['tool_costs'][number]

/** What tools cost in the prompts of a range. */
export async function readToolCosts(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ start: _start, end: _end, by, limit, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const [input, tools] = await Promise.all([
		sumInput(store, workspaceId, range, filter),
		sumTools(store, workspaceId, range, { by, filter, limit }),
	])
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		requests: Number(input.requests),
		unpriced_requests: Number(input.unpriced),
		input: shareOf(input.tokens, input.cost),
		rest: shareOf(input.rest_tokens, input.rest_cost),
		total: Number(tools[0]?.lines ?? 0),
		tool_costs: tools.map((sums) => ({ ...keysOf(by, sums), ...present(sums) })),
	}
}

function keysOf(by: 'tool' | 'server' | 'agent', { server, tool, agent_id, agent_label }: ToolSums) {
	return {
		server: server || null,
		tool: by === 'tool' ? tool : null,
		agent: by === 'agent' ? { id: agent_id || null, name: agent_label || null } : null,
	}
}

function present(sums: ToolSums): Omit<ToolCost, 'server' | 'tool' | 'agent'> {
	const definitions = shareOf(sums.definition_tokens, sums.definition_cost)
	const results = shareOf(sums.result_tokens, sums.result_cost)
	return {
		requests: Number(sums.requests),
		uses: Number(sums.uses),
		definitions,
		results: { ...results, carried: Number(sums.carried) },
		tokens: definitions.tokens + results.tokens,
		...presentMoney('cost', BigInt(definitions.cost_nano_usd) + BigInt(results.cost_nano_usd)),
	}
}

function shareOf(tokens: string, cost: string) {
	return { tokens: Number(tokens), ...presentMoney('cost', cost) }
}

/** Opens the operation that shows the share of tools in the input of models. */
export function openToolCosts({
	telemetry,
	clock,
}: {
	telemetry: QueryStore
	clock: Clock
}): BoundOperation[] {
	return bind(toolCostOperations, {
		tool_costs: ({ query, context }) => {
			const range = readTimeRange(query, clock.nowMs())
			return readToolCosts(telemetry, principalIn(context).workspaceId, range, query)
		},
	})
}
