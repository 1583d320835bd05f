import type { Queryable } from '../../../platform/database/index.ts'

/** The agents of a workspace, or the one that was asked for. */
export function listAgents(
	db: Queryable,
	workspaceId: string,
	agentId?: string,
): Promise<{ id: string; name: string }[]> {
	return db
		.selectFrom('agents')
		.select(['id', 'name'])
		.where('workspace_id', '=', workspaceId)
		.$if(agentId !== undefined, (query) => query.where('id', '=', agentId as string))
		.orderBy('id')
		.execute()
}
