import { hookOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import type { Change } from '../connections/service.ts'
import {
	changeHook,
	createHook,
	type HookContext,
	hookOrNotFound,
	removeHook,
	rotateHookSecret,
} from './change-hooks.ts'
import { presentHook } from './present-hook.ts'
import { listHooks } from './repository.ts'

export function hookRoutes(hooks: HookContext): BoundOperation[] {
	const { db } = hooks.store
	return bind(hookOperations, {
		list: async ({ query, context }) => {
			const listing = { ...query, sort: 'created_at' } as const
			const { rows, total } = await listHooks(db, principalIn(context).workspaceId, listing)
			return {
				hooks: rows.map((row) => presentHook(row, hooks.clock.nowMs())),
				pagination: paginate(query, total),
			}
		},
		create: ({ body, context }) => createHook(hooks, changeBy(context), body),
		get: async ({ params, context }) =>
			presentHook(await hookOrNotFound(db, principalIn(context).workspaceId, params.id), hooks.clock.nowMs()),
		update: ({ params, body, context }) => changeHook(hooks, changeBy(context), params.id, body),
		rotateSecret: ({ params, context }) => rotateHookSecret(hooks, changeBy(context), params.id),
		delete: async ({ params, context }) => void (await removeHook(hooks, changeBy(context), params.id)),
	})
}

function changeBy(context: RequestContext): Change {
	return { principal: principalIn(context), requestId: context.requestId }
}
