import { toolsetOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import type { GrantContext } from '../context.ts'
import type { GrantView } from '../grant-entry.ts'
import { changeToolset, createToolset, removeToolset, toolsetOrNotFound } from './change-toolsets.ts'
import { presentToolsets, type ToolsetDocument } from './present-toolset.ts'
import { previewToolset } from './preview-toolset.ts'
import { countToolsets, listToolsets } from './repository.ts'

export function toolsetRoutes(grants: GrantContext, view: GrantView): BoundOperation[] {
	const { db } = grants.store
	return bind(toolsetOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const total = await countToolsets(db, workspaceId, query)
			const rows = await listToolsets(db, workspaceId, query, query, query)
			return {
				toolsets: await presentToolsets(db, grants.servers, workspaceId, rows),
				pagination: paginate(query, total),
			}
		},
		create: ({ body, context }) => createToolset(grants, context, body),
		get: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			const row = await toolsetOrNotFound(db, workspaceId, params.id)
			const [document] = await presentToolsets(db, grants.servers, workspaceId, [row])
			return document as ToolsetDocument
		},
		update: ({ params, body, context }) => changeToolset(grants, context, params.id, body),
		delete: async ({ params, context }) => void (await removeToolset(grants, context, params.id)),
		preview: async ({ params, body, context }) => {
			const { workspaceId } = principalIn(context)
			const row = await toolsetOrNotFound(db, workspaceId, params.id)
			return previewToolset(grants, view, row, body)
		},
	})
}
