import type { View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import { findSettings, listSettingsForView } from './repository.ts'

/** What workspaces chose for the recording of their calls, in memory: those that chose something else than the default. */
export interface CallSettingsView {
	/** Whether calls are served without a record when there is no room for one. */
	isBestEffort(workspaceId: string): boolean
	/** Whether arguments and results of tool calls are recorded. */
	recordsToolContent(workspaceId: string): boolean
}

export function createCallSettingsView(db: Database): CallSettingsView & View {
	const bestEffort = new Set<string>()
	const withoutContent = new Set<string>()
	const put = (workspaces: Set<string>, workspaceId: string, isIn: boolean) => {
		if (isIn) workspaces.add(workspaceId)
		else workspaces.delete(workspaceId)
	}
	const set = (workspaceId: string, { mode, tool_content }: { mode: string; tool_content: boolean }) => {
		put(bestEffort, workspaceId, mode === 'best-effort')
		put(withoutContent, workspaceId, !tool_content)
	}
	return {
		kinds: ['call_recording'],
		load: async () => {
			bestEffort.clear()
			withoutContent.clear()
			for (const { workspace_id, ...settings } of await listSettingsForView(db)) set(workspace_id, settings)
		},
		apply: async (_kind, workspaceId) => set(workspaceId, await findSettings(db, workspaceId)),
		isBestEffort: (workspaceId) => bestEffort.has(workspaceId),
		recordsToolContent: (workspaceId) => !withoutContent.has(workspaceId),
	}
}
