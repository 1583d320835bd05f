import type { View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import { findMode, listModesForView } from './repository.ts'

/** The workspaces whose calls are served without a record when there is no room for one, in memory. */
export interface BestEffortView {
	has(workspaceId: string): boolean
}

export function createBestEffortView(db: Database): BestEffortView & View {
	const workspaces = new Set<string>()
	const set = (workspaceId: string, mode: string) => {
		if (mode === 'best-effort') workspaces.add(workspaceId)
		else workspaces.delete(workspaceId)
	}
	return {
		kinds: ['call_recording'],
		load: async () => {
			workspaces.clear()
			for (const { workspace_id, mode } of await listModesForView(db)) set(workspace_id, mode)
		},
		apply: async (_kind, workspaceId) => set(workspaceId, await findMode(db, workspaceId)),
		has: (workspaceId) => workspaces.has(workspaceId),
	}
}
