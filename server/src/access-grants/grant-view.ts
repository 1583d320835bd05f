import type { AccessMode } from '@signalbox/contract'
import type { View } from '../platform/changes.ts'
import type { Database } from '../platform/database/index.ts'
import type { GrantEntry, GrantView } from './grant-entry.ts'
import { findGrantForView, type GrantRow, listGrantsForView } from './repository.ts'

/** All grants in memory, by agent and server, kept equal to the store by the change feed. */
export function createGrantView(db: Database): GrantView & View {
	const byId = new Map<string, GrantEntry>()
	const byAgent = new Map<string, Map<string, GrantEntry>>()
	const remove = (id: string) => {
		const entry = byId.get(id)
		if (!entry) return
		byId.delete(id)
		const own = byAgent.get(entry.agentId)
		if (own?.get(entry.serverId)?.id === id) own.delete(entry.serverId)
		if (own?.size === 0) byAgent.delete(entry.agentId)
	}
	const put = (entry: GrantEntry) => {
		remove(entry.id)
		byId.set(entry.id, entry)
		const own = byAgent.get(entry.agentId) ?? new Map<string, GrantEntry>()
		byAgent.set(entry.agentId, own.set(entry.serverId, entry))
	}
	return {
		kinds: ['grant'],
		get: (agentId, serverId) => byAgent.get(agentId)?.get(serverId),
		ofAgent: (agentId) => [...(byAgent.get(agentId)?.values() ?? [])],
		load: async () => {
			const rows = await listGrantsForView(db)
			byId.clear()
			byAgent.clear()
			for (const row of rows) put(toEntry(row))
		},
		apply: async (_kind, id) => {
			const row = await findGrantForView(db, id)
			if (row) put(toEntry(row))
			else remove(id)
		},
	}
}

function toEntry(row: GrantRow): GrantEntry {
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		serverId: row.server_id,
		agentId: row.agent_id,
		accessMode: row.access_mode as AccessMode,
		allowedTools: row.allowed_tools === null ? null : new Set(JSON.parse(row.allowed_tools) as string[]),
		enabled: row.enabled === 1,
	}
}
