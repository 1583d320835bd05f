import { type LimitClass, limitClasses } from '@signalbox/contract'
import type { Quotas } from '../../platform/http/index.ts'
import type { Quota } from '../../platform/limits/rates.ts'

export const limitClassNames = Object.keys(limitClasses) as LimitClass[]

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
