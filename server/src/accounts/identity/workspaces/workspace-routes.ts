import { memberOperations, workspaceOperations } from '@signalbox/contract'
import { type BoundOperation, bind, userIn } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import type { IdentityContext } from '../identity-context.ts'
import { changeRole, presentMember, removeMember } from './change-members.ts'
import { createWorkspace, presentWorkspace, removeWorkspace, updateWorkspace } from './change-workspaces.ts'
import { askingIn } from './workspace-context.ts'
import {
	findWorkspaceById,
	listMembers,
	listWorkspacesOf,
	type WorkspaceRow,
} from './workspace-repository.ts'

export function workspaceRoutes(context: IdentityContext): BoundOperation[] {
	const { db } = context.store
	return [
		...bind(workspaceOperations, {
			list: async ({ query, context: request }) => {
				const { rows, total } = await listWorkspacesOf(db, userIn(request).userId, query)
				const workspaces = rows.map((row) => presentWorkspace(row, row.role))
				return { workspaces, pagination: paginate(query, total) }
			},
			create: ({ body, context: request }) =>
				createWorkspace(context, userIn(request), body.name, request.requestId),
			get: async ({ params, context: request }) => {
				const { user, workspaceId } = askingIn(request, params.id)
				return presentWorkspace((await findWorkspaceById(db, workspaceId)) as WorkspaceRow, user.role)
			},
			update: ({ params, body, context: request }) =>
				updateWorkspace(context, askingIn(request, params.id), body),
			delete: async ({ params, query, context: request }) =>
				void (await removeWorkspace(context, askingIn(request, params.id), query.confirm)),
		}),
		...bind(memberOperations, {
			list: async ({ params, query, context: request }) => {
				const { workspaceId } = askingIn(request, params.id)
				const { rows, total } = await listMembers(db, workspaceId, query, query)
				return { members: rows.map(presentMember), pagination: paginate(query, total) }
			},
			update: ({ params, body, context: request }) =>
				changeRole(context, askingIn(request, params.id), params.userId, body),
			remove: async ({ params, context: request }) =>
				void (await removeMember(context, askingIn(request, params.id), params.userId)),
		}),
	]
}
