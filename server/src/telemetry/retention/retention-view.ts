import type { RetainedSignal } from '@signalbox/contract'
import type { View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import { listRetention, listRetentionForView, type RetentionRow } from './repository.ts'

/** How long each workspace keeps what arrives now, in memory. */
export interface RetentionView {
	daysOf(workspaceId: string, signal: RetainedSignal): number
}

export function createRetentionView(db: Database, instanceDays: number): RetentionView & View {
	const byWorkspace = new Map<string, ReadonlyMap<string, number>>()
	const set = (workspaceId: string, rows: readonly RetentionRow[]) => {
		if (rows.length === 0) byWorkspace.delete(workspaceId)
		else byWorkspace.set(workspaceId, new Map(rows.map(({ signal, days }) => [signal, days])))
	}
	return {
		kinds: ['retention'],
		load: async () => {
			byWorkspace.clear()
			const rows = Map.groupBy(await listRetentionForView(db), (row) => row.workspace_id)
			for (const [workspaceId, own] of rows) set(workspaceId, own)
		},
		apply: async (_kind, workspaceId) => set(workspaceId, await listRetention(db, workspaceId)),
		daysOf: (workspaceId, signal) => byWorkspace.get(workspaceId)?.get(signal) ?? instanceDays,
	}
}
