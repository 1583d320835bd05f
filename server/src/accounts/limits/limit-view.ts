import type { LimitClass } from '@signalbox/contract'
import type { View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import type { Quotas } from '../../platform/http/index.ts'
import type { Quota } from '../../platform/limits/rates.ts'
import { type LimitRow, listLimits, listLimitsForView } from './limit-repository.ts'

/** The quotas of every workspace, in memory; those of the instance for workspaces that set none, and for nobody. */
export interface LimitView {
	quotasOf(workspaceId: string | null): Quotas
}

export function createLimitView(db: Database, instance: Quotas): LimitView & View {
	const byWorkspace = new Map<string, Quotas>()
	const set = (workspaceId: string, rows: readonly LimitRow[]) => {
		if (rows.length === 0) byWorkspace.delete(workspaceId)
		else byWorkspace.set(workspaceId, { ...instance, ...quotasIn(rows) })
	}
	return {
		kinds: ['limit'],
		load: async () => {
			byWorkspace.clear()
			const rows = Map.groupBy(await listLimitsForView(db), (row) => row.workspace_id)
			for (const [workspaceId, own] of rows) set(workspaceId, own)
		},
		apply: async (_kind, workspaceId) => set(workspaceId, await listLimits(db, workspaceId)),
		quotasOf: (workspaceId) => (workspaceId === null ? instance : (byWorkspace.get(workspaceId) ?? instance)),
	}
}

/** Rows as quotas by class. */
export function quotasIn(rows: readonly LimitRow[]): Partial<Record<LimitClass, Quota | null>> {
	return Object.fromEntries(
		rows.map(({ class: name, requests, window_s }) => [name, toQuota({ requests, window_s })]),
	)
}

/** Null when either is absent: no limit. */
export function toQuota(of: { requests: number | null; window_s: number | null }): Quota | null {
	if (of.requests === null || of.window_s === null) return null
	return { requests: of.requests, windowMs: of.window_s * 1000 }
}
