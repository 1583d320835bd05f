import type { View } from '../../../platform/changes.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type Hook, type HookRow, hookSecretContext, toHook } from './hook.ts'
import { readHooks } from './hook-repository.ts'

/** The enabled hooks of all workspaces, in memory. */
export interface HookView {
	/** In the order in which they run; undefined if a workspace has none. */
	of(workspaceId: string): readonly Hook[] | undefined
}

export function createHookView(db: Database, sealer: Sealer): HookView & View {
	const open = (row: HookRow, sealed: string) => sealer.open(sealed, hookSecretContext(row))
	let byId = new Map<string, Hook>()
	let byWorkspace = new Map<string, Hook[]>()
	const replaceAll = (hooks: readonly Hook[]) => {
		byId = new Map(hooks.map((hook) => [hook.id, hook]))
		byWorkspace = Map.groupBy(hooks, ({ workspaceId }) => workspaceId)
	}
	const enabledIn = (rows: readonly HookRow[]) =>
		rows.filter(({ enabled }) => enabled === 1).map((row) => toHook(row, open))
	return {
		kinds: ['hook'],
		load: async () => replaceAll(enabledIn(await readHooks(db))),
		apply: async (_kind, id) => {
			const [hook] = enabledIn(await readHooks(db, id))
			const known = new Map(byId)
			if (hook) known.set(id, hook)
			else known.delete(id)
			// Ids are ordered by creation time.
			replaceAll([...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1)))
		},
		of: (workspaceId) => byWorkspace.get(workspaceId),
	}
}
