import { forwarderOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { paginate } from '../../platform/paging.ts'
import {
	changeForwarder,
	createForwarder,
	forwarderOrNotFound,
	removeForwarder,
	testForwarder,
} from './change-forwarders.ts'
import type { Change, ForwarderContext } from './context.ts'
import { presentForwarder } from './present-forwarder.ts'
import { listCursors, listForwarders } from './repository.ts'

export function forwarderRoutes(forwarders: ForwarderContext): BoundOperation[] {
	const { store, clock } = forwarders
	return bind(forwarderOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const { rows, total } = await listForwarders(store.db, workspaceId, query)
			const ids = rows.map(({ id }) => id)
			const cursors = await listCursors(store.db, workspaceId, ids)
			const nowMs = clock.nowMs()
			return {
				forwarders: rows.map((row) => presentForwarder(row, cursors, nowMs)),
				pagination: paginate(query, total),
			}
		},
		create: ({ body, context }) => createForwarder(forwarders, changeBy(context), body),
		get: async ({ params, context }) => {
			const found = await forwarderOrNotFound(store.db, principalIn(context).workspaceId, params.id)
			return presentForwarder(found.row, found.cursors, clock.nowMs())
		},
		update: ({ params, body, context }) => changeForwarder(forwarders, changeBy(context), params.id, body),
		delete: async ({ params, context }) =>
			void (await removeForwarder(forwarders, changeBy(context), params.id)),
		test: ({ params, context }) => testForwarder(forwarders, changeBy(context), params.id),
	})
}

function changeBy(context: RequestContext): Change {
	return { principal: principalIn(context), requestId: context.requestId }
}
