import { instanceOperations, type OutputOf, settingOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { type BoundOperation, bind, userIn } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import type { IdentityContext } from '../context.ts'
import { changeRights } from './change-rights.ts'
import { changeSettings } from './change-settings.ts'
import {
	countOperators,
	type InstanceWorkspaceRow,
	listInstanceWorkspaces,
	listOperators,
} from './repository.ts'

export function instanceRoutes(context: IdentityContext): BoundOperation[] {
	const { db } = context.store
	return [
		...bind(settingOperations, {
			get: () => context.instance.settings(),
			update: ({ body, context: request }) =>
				changeSettings(context, userIn(request), body, request.requestId),
		}),
		...bind(instanceOperations, {
			workspaces: async ({ query }) => {
				const { rows, total } = await listInstanceWorkspaces(db, query.q, query)
				return { workspaces: rows.map(presentInstanceWorkspace), pagination: paginate(query, total) }
			},
			rights: async ({ params, body, context: request }) =>
				presentInstanceWorkspace(
					await changeRights(context, userIn(request), params.id, body, request.requestId),
				),
			operators: async ({ query }) => ({
				operators: await listOperators(db, query),
				pagination: paginate(query, await countOperators(db)),
			}),
		}),
	]
}

function presentInstanceWorkspace(
	row: InstanceWorkspaceRow,
): OutputOf<(typeof instanceOperations)['rights']> {
	const { id, name, member_count } = row
	const rights = { stdio: row.stdio_allowed === 1 }
	return { id, name, created_at: toIso(row.created_at), member_count, rights }
}
