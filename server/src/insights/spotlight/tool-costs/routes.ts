import { toolCostOperations } from '@signalbox/contract'
import type { Clock } from '../../../platform/clock.ts'
import { type BoundOperation, bind, principalIn } from '../../../platform/http/index.ts'
import { readTimeRange } from '../../../platform/time-range.ts'
import type { QueryStore } from '../repository.ts'
import { readToolCosts } from './read-tool-costs.ts'

/** Tools as a part of what models read. */
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
