import type { AgentStatus, ToolFace } from '@signalbox/contract'
import type { View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import { readCallLimit } from '../../platform/limits/call-limit.ts'
import type { AgentEntry, AgentView } from './agent-entry.ts'
import { toModelAccess } from './model-access.ts'
import { type AgentRow, findAgentForView, listAgentsForView } from './repository.ts'

/** All agents in memory, kept equal to the store by the change feed. */
export function createAgentView(db: Database): AgentView & View {
	let agents = new Map<string, AgentEntry>()
	return {
		kinds: ['agent'],
		get: (agentId) => agents.get(agentId),
		load: async () => {
			agents = new Map((await listAgentsForView(db)).map((row) => [row.id, toEntry(row)]))
		},
		apply: async (_kind, id) => {
			const row = await findAgentForView(db, id)
			if (row) agents.set(id, toEntry(row))
			else agents.delete(id)
		},
	}
}

function toEntry(row: AgentRow): AgentEntry {
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		name: row.name,
		status: row.status as AgentStatus,
		modelAccess: toModelAccess(row.model_access),
		callLimit: row.call_limits === null ? null : readCallLimit(row.call_limits),
		toolFace: (row.tool_face ?? 'all') as ToolFace,
	}
}
