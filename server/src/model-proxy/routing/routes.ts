import { modelRouteOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { paginate } from '../../platform/paging.ts'
import type { Change } from '../connections/service.ts'
import {
	changeModelRoute,
	createModelRoute,
	type ModelRouteContext,
	modelRouteOrNotFound,
	removeModelRoute,
} from './change-routes.ts'
import { presentModelRoute } from './present-route.ts'
import { listModelRoutes } from './repository.ts'

export function modelRouteRoutes(routes: ModelRouteContext): BoundOperation[] {
	const { db } = routes.store
	return bind(modelRouteOperations, {
		list: async ({ query, context }) => {
			const listing = { ...query, sort: 'created_at' } as const
			const { rows, total } = await listModelRoutes(db, principalIn(context).workspaceId, listing)
			return { routes: rows.map(presentModelRoute), pagination: paginate(query, total) }
		},
		create: async ({ body, context }) =>
			presentModelRoute(await createModelRoute(routes, changeBy(context), body)),
		get: async ({ params, context }) =>
			presentModelRoute(await modelRouteOrNotFound(db, principalIn(context).workspaceId, params.id)),
		update: async ({ params, body, context }) =>
			presentModelRoute(await changeModelRoute(routes, changeBy(context), params.id, body)),
		delete: async ({ params, context }) =>
			void (await removeModelRoute(routes, changeBy(context), params.id)),
	})
}

function changeBy(context: RequestContext): Change {
	return { principal: principalIn(context), requestId: context.requestId }
}
