import type { RouteStrategy } from '@signalbox/contract'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { defaultTimeouts, type PlanRules } from '../reliability/call-plan.ts'

export type ModelRouteRow = ControlSchema['model_routes']

/** One possible target of a route's calls, in the form of the contract. */
export interface RouteTarget {
	connection: string
	/** Null for the model that the caller names. */
	model: string | null
	weight: number
	for_models: string[]
}

/** A route in the form used to send calls. */
export interface ModelRoute {
	id: string
	workspaceId: string
	strategy: RouteStrategy
	targets: readonly RouteTarget[]
	rules: PlanRules
}

export function toModelRoute(row: ModelRouteRow): ModelRoute {
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		strategy: row.strategy as RouteStrategy,
		targets: JSON.parse(row.targets) as RouteTarget[],
		rules: {
			route: row.name,
			retries: row.retries,
			timeouts: {
				firstTokenMs: row.first_token_timeout_ms,
				idleMs: row.idle_timeout_ms ?? defaultTimeouts.idleMs,
				totalMs: row.total_timeout_ms,
			},
		},
	}
}
