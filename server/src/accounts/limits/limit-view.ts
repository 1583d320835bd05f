import { type LimitClass, limitClasses, type limitOperations, type OutputOf } from '@signalbox/contract'
import type { View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import type { Quotas } from '../../platform/http/index.ts'
import type { Quota } from '../../platform/limits/rates.ts'
import { type LimitRow, listLimits, listLimitsForView } from './limit-repository.ts'

/** The quotas of every workspace, in memory; those of the instance for workspaces that set none, and for nobody. */
interface LimitView {
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
function quotasIn(rows: readonly LimitRow[]): Partial<Record<LimitClass, Quota | null>> {
	return Object.fromEntries(
		rows.map(({ class: name, requests, window_s }) => [name, toQuota({ requests, window_s })]),
	)
}

/** Null when either is absent: no limit. */
export function toQuota(of: { requests: number | null; window_s: number | null }): Quota | null {
	if (of.requests === null || of.window_s === null) return null
	return { requests: of.requests, windowMs: of.window_s * 1000 }
}

const limitClassNames = Object.keys(limitClasses) as LimitClass[]

/** Generous: they stop loops and guessing, not work. The data plane has none. */
const defaults: Quotas = {
	api: { requests: 1000, windowMs: 10_000 },
	anonymous: { requests: 500, windowMs: 10_000 },
	mcp: null,
	model: null,
	otlp: null,
}
const defaultCeilings: Quotas = { ...defaults, api: { requests: 10_000, windowMs: 10_000 } }

/** What the operator set by configuration: some classes, and how far workspaces may go. */
export interface LimitConfig {
	RATE_LIMITS: Partial<Quotas>
	RATE_LIMIT_CEILINGS: Partial<Quotas>
}

/** The limits of the instance and the most that a workspace may give itself: never less than the instance gives. */
export function instanceLimits(config: LimitConfig): { quotas: Quotas; ceilings: Quotas } {
	const quotas = { ...defaults, ...config.RATE_LIMITS }
	const wanted = { ...defaultCeilings, ...config.RATE_LIMIT_CEILINGS }
	const ceilings = limitClassNames.map((name) => {
		const fits = isWithin(quotas[name], wanted[name])
		return [name, fits ? wanted[name] : quotas[name]] as const
	})
	return { quotas, ceilings: Object.fromEntries(ceilings) as unknown as Quotas }
}

/** Whether a quota allows no more than a ceiling, at once and over time. */
export function isWithin(quota: Quota | null, ceiling: Quota | null): boolean {
	if (ceiling === null) return true
	if (quota === null || quota.requests > ceiling.requests) return false
	return quota.requests * ceiling.windowMs <= ceiling.requests * quota.windowMs
}

export function isSame(a: Quota | null, b: Quota | null): boolean {
	return a?.requests === b?.requests && a?.windowMs === b?.windowMs
}

export type LimitDocument = OutputOf<(typeof limitOperations)['list']>['limits'][number]

/** Every class with its quota and who set it. */
export function presentLimits(
	{ quotas, config }: { quotas: Quotas; config: LimitConfig },
	rows: readonly LimitRow[],
): LimitDocument[] {
	const own = quotasIn(rows)
	return limitClassNames.map((name) => {
		if (own[name] !== undefined) return present(name, own[name], 'workspace')
		return present(name, quotas[name], name in config.RATE_LIMITS ? 'operator' : 'default')
	})
}

function present(name: LimitClass, quota: Quota | null, source: LimitDocument['source']): LimitDocument {
	return {
		class: name,
		requests: quota?.requests ?? null,
		window_s: quota && quota.windowMs / 1000,
		per: limitClasses[name],
		source,
	}
}
