import type { RouteStrategy } from '@signalbox/contract'
import type { View } from '../../../platform/changes.ts'
import type { Database } from '../../../platform/database/database.ts'
import { defaultTimeouts, type PlanRules } from '../reliability/call-plan.ts'
import { type ModelRouteRow, readModelRoutes } from './route-repository.ts'

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

/** All routes, in memory. */
export interface ModelRouteView {
	find(workspaceId: string, name: string): ModelRoute | undefined
}

export function createModelRouteView(db: Database): ModelRouteView & View {
	let byId = new Map<string, ModelRoute>()
	let byName = new Map<string, ModelRoute>()
	const replaceAll = (routes: Iterable<readonly [string, ModelRoute]>) => {
		byId = new Map(routes)
		byName = new Map(
			[...byId.values()].map((route) => [nameKey(route.workspaceId, route.rules.route), route]),
		)
	}
	return {
		kinds: ['model_route'],
		load: async () => replaceAll((await readModelRoutes(db)).map((row) => [row.id, toModelRoute(row)])),
		apply: async (_kind, id) => {
			const [row] = await readModelRoutes(db, id)
			const others = [...byId].filter(([known]) => known !== id)
			replaceAll(row ? [...others, [id, toModelRoute(row)]] : others)
		},
		find: (workspaceId, name) => byName.get(nameKey(workspaceId, name)),
	}
}

const nameKey = (workspaceId: string, name: string) => `${workspaceId}/${name}`
