import type { View } from '../../../platform/changes.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type ModelRoute, toModelRoute } from './model-route.ts'
import { readModelRoutes } from './route-repository.ts'

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
