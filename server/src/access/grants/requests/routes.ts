import { accessRequestOperations } from '@signalbox/contract'
import { notFound } from '../../../platform/errors.ts'
import { type BoundOperation, bind, principalIn } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import type { GrantContext } from '../context.ts'
import { createRequest, declineRequest, grantRequest, presentRequest } from './change-requests.ts'
import { countRequests, findRequest, listRequests } from './repository.ts'

export function requestRoutes(grants: GrantContext): BoundOperation[] {
	const { db } = grants.store
	return bind(accessRequestOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const total = await countRequests(db, workspaceId, query)
			const rows = await listRequests(db, workspaceId, query, query)
			return { access_requests: rows.map(presentRequest), pagination: paginate(query, total) }
		},
		create: ({ body, context }) => createRequest(grants, context, body),
		get: async ({ params, context }) => {
			const row = await findRequest(db, principalIn(context).workspaceId, params.id)
			if (!row) throw notFound('access request')
			return presentRequest(row)
		},
		grant: ({ params, context }) => grantRequest(grants, context, params.id),
		decline: ({ params, context }) => declineRequest(grants, context, params.id),
	})
}
