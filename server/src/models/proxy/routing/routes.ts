import { modelRouteOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import type { Change } from '../connections/service.ts'
import {
	changeModelRoute,
	createModelRoute,
	type ModelRouteContext,
	modelRouteOrNotFound,
	removeModelRoute,
} from './change-routes.ts'
import type { ModelRouteRow } from './model-route.ts'
import { presentModelRoute } from './present-route.ts'
import { listConnectionNames, listModelRoutes } from './repository.ts'

export function modelRouteRoutes(routes: ModelRouteContext): BoundOperation[] {
	const { db } = routes.store
	const present = async (row: ModelRouteRow) =>
		presentModelRoute(row, await listConnectionNames(db, row.workspace_id))
	return bind(modelRouteOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const { rows, total } = await listModelRoutes(db, workspaceId, { ...query, sort: 'created_at' })
			const names = await listConnectionNames(db, workspaceId)
			return {
				routes: rows.map((row) => presentModelRoute(row, names)),
				pagination: paginate(query, total),
			}
		},
		create: async ({ body, context }) => present(await createModelRoute(routes, changeBy(context), body)),
		get: async ({ params, context }) =>
			present(await modelRouteOrNotFound(db, principalIn(context).workspaceId, params.id)),
		update: async ({ params, body, context }) =>
			present(await changeModelRoute(routes, changeBy(context), params.id, body)),
		delete: async ({ params, context }) =>
			void (await removeModelRoute(routes, changeBy(context), params.id)),
	})
}

function changeBy(context: RequestContext): Change {
	return { principal: principalIn(context), requestId: context.requestId }
}
