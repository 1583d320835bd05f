import { providerKeyOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import { toProviderKey } from './present-connection.ts'
import type { Change, Connections } from './service.ts'

export function connectionRoutes(connections: Connections): BoundOperation[] {
	return bind(providerKeyOperations, {
		list: async ({ query, context }) => {
			const { rows, total } = await connections.list(principalIn(context).workspaceId, query)
			return { provider_keys: rows.map(toProviderKey), pagination: paginate(query, total) }
		},
		get: async ({ params, context }) =>
			toProviderKey(await connections.get(principalIn(context).workspaceId, params.id)),
		test: ({ params, context }) => connections.test(changeBy(context), params.id),
		create: async ({ body, context }) => toProviderKey(await connections.create(changeBy(context), body)),
		update: async ({ params, body, context }) =>
			toProviderKey(await connections.update(changeBy(context), params.id, body)),
		delete: async ({ params, context }) => {
			await connections.remove(changeBy(context), params.id)
			return undefined
		},
	})
}

function changeBy(context: RequestContext): Change {
	return { principal: principalIn(context), requestId: context.requestId }
}
