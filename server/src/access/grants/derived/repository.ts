import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { manualSource } from '../grant-entry.ts'

/** Which derived grants to look at: those of one toolset, or those of some agents. */
export type DerivedScope = { toolsetId: string } | { agentIds: readonly string[] }

export interface MissingGrant {
	toolset_id: string
	agent_id: string
	server_id: string
	tools: string
}

/** Deletes the derived grants that nothing derives any more; how many. */
export async function deleteUnfounded(
	tx: DatabaseTransaction,
	workspaceId: string,
	scope: DerivedScope,
): Promise<number> {
	const deleted = await tx
		.deleteFrom('access_grants')
		.where('access_grants.workspace_id', '=', workspaceId)
		.$if('toolsetId' in scope, (query) =>
			query.where('access_grants.source', '=', (scope as { toolsetId: string }).toolsetId),
		)
		.$if('agentIds' in scope, (query) =>
			query
				.where('access_grants.source', '!=', manualSource)
				.where('access_grants.agent_id', 'in', (scope as { agentIds: string[] }).agentIds),
		)
		.where(({ not, exists, selectFrom }) =>
			not(
				exists(
					selectFrom('toolset_tools')
						.innerJoin('toolset_groups', 'toolset_groups.toolset_id', 'toolset_tools.toolset_id')
						.innerJoin('agent_groups', (join) =>
							join
								.onRef('agent_groups.name', '=', 'toolset_groups.name')
								.onRef('agent_groups.workspace_id', '=', 'toolset_groups.workspace_id'),
						)
						.select('toolset_tools.server_id')
						.whereRef('toolset_tools.toolset_id', '=', 'access_grants.source')
						.whereRef('toolset_tools.server_id', '=', 'access_grants.server_id')
						.whereRef('agent_groups.agent_id', '=', 'access_grants.agent_id'),
				),
			),
		)
		.executeTakeFirst()
	return Number(deleted.numDeletedRows)
}

/** The grants that should be there and are not. */
export function listMissing(
	tx: DatabaseTransaction,
	workspaceId: string,
	scope: DerivedScope,
): Promise<MissingGrant[]> {
	return tx
		.selectFrom('toolset_tools')
		.innerJoin('toolset_groups', 'toolset_groups.toolset_id', 'toolset_tools.toolset_id')
		.innerJoin('agent_groups', (join) =>
			join
				.onRef('agent_groups.name', '=', 'toolset_groups.name')
				.onRef('agent_groups.workspace_id', '=', 'toolset_groups.workspace_id'),
		)
		.leftJoin('access_grants', (join) =>
			join
				.onRef('access_grants.server_id', '=', 'toolset_tools.server_id')
				.onRef('access_grants.agent_id', '=', 'agent_groups.agent_id')
				.onRef('access_grants.source', '=', 'toolset_tools.toolset_id'),
		)
		.select([
			'toolset_tools.toolset_id',
			'agent_groups.agent_id',
			'toolset_tools.server_id',
			'toolset_tools.tools',
		])
		.distinct()
		.where('toolset_tools.workspace_id', '=', workspaceId)
		.where('access_grants.id', 'is', null)
		.$if('toolsetId' in scope, (query) =>
			query.where('toolset_tools.toolset_id', '=', (scope as { toolsetId: string }).toolsetId),
		)
		.$if('agentIds' in scope, (query) =>
			query.where('agent_groups.agent_id', 'in', (scope as { agentIds: string[] }).agentIds),
		)
		.execute()
}

/** Gives the derived grants of a toolset on one server its present tools; how many had others. */
export async function updateTools(
	tx: DatabaseTransaction,
	workspaceId: string,
	{ toolsetId, serverId, tools }: { toolsetId: string; serverId: string; tools: string },
	nowMs: number,
): Promise<number> {
	const updated = await tx
		.updateTable('access_grants')
		.set({ allowed_tools: tools, updated_at: nowMs })
		.where('workspace_id', '=', workspaceId)
		.where('source', '=', toolsetId)
		.where('server_id', '=', serverId)
		.where('allowed_tools', '!=', tools)
		.executeTakeFirst()
	return Number(updated.numUpdatedRows)
}
