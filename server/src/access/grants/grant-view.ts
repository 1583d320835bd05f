import type { ChangeKind, View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import { type GrantEntry, type GrantView, manualSource } from './grant-entry.ts'
import { GrantIndex } from './grant-index.ts'
import { type GrantRow, listGrantsForView, listGrantsForViewBy } from './repository.ts'
import { createSharing, toGrantEntry } from './to-grant-entry.ts'

/**
 * All grants in memory, kept equal to the store by the change feed. One change of a toolset or of an agent stands for
 * all grants derived from the one or held by the other.
 */
export function createGrantView(db: Database): GrantView & View {
	let index = new GrantIndex()
	const replace = (before: readonly GrantEntry[], rows: readonly GrantRow[]) => {
		const share = createSharing()
		const now = new Set(rows.map(({ id }) => id))
		for (const { id } of before) if (!now.has(id)) index.remove(id)
		for (const row of rows) index.put(toGrantEntry(row, share))
	}
	return {
		kinds: ['grant', 'toolset', 'agent'],
		of: (agentId, serverId) => index.of(agentId, serverId),
		serversOf: (agentId) => index.serversOf(agentId),
		ofToolset: (toolsetId) => index.ofSource(toolsetId),
		anyExpired: (sinceMs, nowMs) => index.anyExpired(sinceMs, nowMs),
		load: async () => {
			const fresh = new GrantIndex()
			const share = createSharing()
			for (const row of await listGrantsForView(db)) fresh.put(toGrantEntry(row, share))
			index = fresh
		},
		apply: async (kind, id) => {
			const rows = await listGrantsForViewBy(db, columnOf[kind as keyof typeof columnOf], id)
			replace(held(index, kind, id), rows)
		},
	}
}

const columnOf = { grant: 'id', toolset: 'source', agent: 'agent_id' } as const satisfies Partial<
	Record<ChangeKind, keyof GrantRow>
>

function held(index: GrantIndex, kind: ChangeKind, id: string): readonly GrantEntry[] {
	if (kind === 'agent') return index.ofAgent(id)
	if (kind === 'toolset') return id === manualSource ? [] : index.ofSource(id)
	const entry = index.get(id)
	return entry ? [entry] : []
}
