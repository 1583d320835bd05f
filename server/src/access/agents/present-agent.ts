import type { agentOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { AgentContext } from './agent-context.ts'
import type { AgentWithUse } from './agent-repository.ts'
import { presentModelAccess, toModelAccess } from './model-access.ts'

export type AgentDocument = OutputOf<(typeof agentOperations)['get']>

/** An agent as the API shows it. */
export function presentAgent(
	{ modelWarnings }: Pick<AgentContext, 'modelWarnings'>,
	row: AgentWithUse,
): AgentDocument {
	return {
		uuid: row.id,
		id: row.id,
		name: row.name,
		description: row.description,
		status: row.status as AgentDocument['status'],
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
		mcp_server_count: row.servers ?? 0,
		last_seen_at: row.last_seen_at === null ? null : toIso(row.last_seen_at),
		groups: row.groups?.split(',') ?? [],
		model_access: presentModelAccess(row.model_access),
		call_limits: row.call_limits === null ? null : JSON.parse(row.call_limits),
		tool_listing: (row.tool_face ?? 'all') as AgentDocument['tool_listing'],
		warnings: modelWarnings(row.workspace_id, toModelAccess(row.model_access)),
	}
}
