import { accessGrantOperations } from '@signalbox/contract'
import { notFound } from '../../platform/errors.ts'
import { type BoundOperation, bind, principalIn } from '../../platform/http/index.ts'
import { changeGrant, createGrant, removeGrant } from './change-grants.ts'
import { type GrantContext, targetOrNotFound } from './context.ts'
import { explainAccess, readMatrix } from './explain-access.ts'
import { type AgentAccess, presentAgentAccess, presentGrant } from './present-grant.ts'
import { findManualGrant, listGrantsWithAgents } from './repository.ts'

export function grantRoutes(grants: GrantContext): BoundOperation[] {
	const { db } = grants.store
	return bind(accessGrantOperations, {
		list: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			await targetOrNotFound(db, 'mcp_servers', workspaceId, params.id)
			return { access: await accessOf(grants, workspaceId, params.id) }
		},
		create: ({ params, body, context }) => createGrant(grants, context, params.id, body),
		get: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			const row = await findManualGrant(db, workspaceId, params.id, params.agentId)
			if (!row) throw notFound('access grant')
			return presentGrant(row, grants.servers.get(row.server_id))
		},
		update: ({ params, body, context }) => changeGrant(grants, context, params, body),
		delete: async ({ params, context }) => void (await removeGrant(grants, context, params)),
		matrix: ({ query, context }) => readMatrix(grants, principalIn(context).workspaceId, query),
		ofAgent: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			await targetOrNotFound(db, 'agents', workspaceId, params.id)
			return explainAccess(grants, workspaceId, params.id)
		},
	})
}

/** The grants on a server, as its `agent_access` shows them. */
export async function accessOf(
	{ store }: Pick<GrantContext, 'store'>,
	workspaceId: string,
	serverId: string,
): Promise<AgentAccess[]> {
	return (await listGrantsWithAgents(store.db, workspaceId, serverId)).map(presentAgentAccess)
}
