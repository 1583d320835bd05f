import { modelLimitOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import type { Change } from '../connections/service.ts'
import {
	changeModelLimit,
	createModelLimit,
	type ModelLimitContext,
	modelLimitOrNotFound,
	removeModelLimit,
} from './change-limits.ts'
import { presentModelLimit } from './model-limit.ts'
import { listModelLimits } from './repository.ts'

export function modelLimitRoutes(limits: ModelLimitContext): BoundOperation[] {
	const { db } = limits.store
	return bind(modelLimitOperations, {
		list: async ({ query, context }) => {
			const listing = { ...query, sort: 'created_at' } as const
			const { rows, total } = await listModelLimits(db, principalIn(context).workspaceId, listing)
			return { model_limits: rows.map(presentModelLimit), pagination: paginate(query, total) }
		},
		create: async ({ body, context }) =>
			presentModelLimit(await createModelLimit(limits, changeBy(context), body)),
		get: async ({ params, context }) =>
			presentModelLimit(await modelLimitOrNotFound(db, principalIn(context).workspaceId, params.id)),
		update: async ({ params, body, context }) =>
			presentModelLimit(await changeModelLimit(limits, changeBy(context), params.id, body)),
		delete: async ({ params, context }) =>
			void (await removeModelLimit(limits, changeBy(context), params.id)),
	})
}

function changeBy(context: RequestContext): Change {
	return { principal: principalIn(context), requestId: context.requestId }
}
