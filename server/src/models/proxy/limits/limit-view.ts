import type { View } from '../../../platform/changes.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type ModelLimitRow, readModelLimits } from './limit-repository.ts'

/** The active limits, in memory. */
export interface ModelLimitView {
	of(workspaceId: string): readonly ModelLimitRow[]
}

const none: readonly ModelLimitRow[] = []

export function createModelLimitView(db: Database): ModelLimitView & View {
	let byId = new Map<string, ModelLimitRow>()
	let byWorkspace = new Map<string, readonly ModelLimitRow[]>()
	const replaceAll = (rows: Iterable<ModelLimitRow>) => {
		byId = new Map([...rows].map((row) => [row.id, row]))
		byWorkspace = Map.groupBy(byId.values(), (row) => row.workspace_id)
	}
	return {
		kinds: ['model_limit'],
		load: async () => replaceAll(await readModelLimits(db)),
		apply: async (_kind, id) => {
			const found = await readModelLimits(db, id)
			replaceAll([...byId.values()].filter((row) => row.id !== id).concat(found))
		},
		of: (workspaceId) => byWorkspace.get(workspaceId) ?? none,
	}
}
