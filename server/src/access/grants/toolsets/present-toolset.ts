import type { OutputOf, toolsetOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { ServerView } from '../../../servers/servers.ts'
import { toolWarnings } from '../grant-warnings.ts'
import { countAgentsOf, listGroupsIn, listToolsIn, type ToolsetRow } from './toolset-repository.ts'

export type ToolsetDocument = OutputOf<(typeof toolsetOperations)['get']>

/** Toolsets in the form of the API. */
export async function presentToolsets(
	db: Queryable,
	servers: ServerView,
	workspaceId: string,
	rows: readonly ToolsetRow[],
): Promise<ToolsetDocument[]> {
	const ids = rows.map(({ id }) => id)
	const tools = await listToolsIn(db, workspaceId, ids)
	const groups = await listGroupsIn(db, workspaceId, ids)
	const agents = await countAgentsOf(db, workspaceId, ids)
	return rows.map((row) => ({
		id: row.id,
		name: row.name,
		description: row.description,
		tools: (tools.get(row.id) ?? []).map((of) => ({ server_id: of.serverId, tools: of.tools })),
		groups: groups.get(row.id) ?? [],
		agent_count: agents.get(row.id) ?? 0,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
		warnings: (tools.get(row.id) ?? []).flatMap((of) =>
			toolWarnings(servers.get(of.serverId), 'tools', of.tools),
		),
	}))
}
