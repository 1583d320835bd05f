import type { agentOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import type { Queryable } from '../platform/database/index.ts'
import { presentModelAccess } from './model-access.ts'
import { type AgentRow, countServersOf, listGroupsOf } from './repository.ts'

export type AgentDocument = OutputOf<(typeof agentOperations)['get']>

/** Agents as the API shows them. */
export async function presentAgents(
	db: Queryable,
	workspaceId: string,
	rows: readonly AgentRow[],
	nowMs: number,
): Promise<AgentDocument[]> {
	const ids = rows.map(({ id }) => id)
	const servers = await countServersOf(db, workspaceId, ids, nowMs)
	const groups = await listGroupsOf(db, workspaceId, ids)
	return rows.map((row) => ({
		uuid: row.id,
		id: row.id,
		name: row.name,
		description: row.description,
		status: row.status as AgentDocument['status'],
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
		mcp_server_count: servers.get(row.id) ?? 0,
		last_seen_at: row.last_seen_at === null ? null : toIso(row.last_seen_at),
		groups: groups.get(row.id) ?? [],
		model_access: presentModelAccess(row.model_access),
	}))
}
