import type { operations } from '@signalbox/contract/api'
import type { Schemas } from '../../api.ts'

/** The properties by which calls can be grouped; the API has a list for each. */
export const breakdowns = [
	{ by: 'tools', label: 'Tool' },
	{ by: 'servers', label: 'Server' },
	{ by: 'agents', label: 'Agent' },
	{ by: 'models', label: 'Model' },
	{ by: 'users', label: 'User' },
	{ by: 'clients', label: 'Client' },
	{ by: 'sessions', label: 'Session' },
	{ by: 'resources', label: 'Resource' },
	{ by: 'prompts', label: 'Prompt' },
	{ by: 'errors', label: 'Failure' },
	{ by: 'usage', label: 'Any field' },
] as const

export type By = (typeof breakdowns)[number]['by']

type Query = NonNullable<operations['spotlight.tools']['parameters']['query']>
export type CallFilter = Omit<Query, 'start' | 'end' | 'sort' | 'limit' | 'group_by' | 'compare'>
export type Sort = NonNullable<Query['sort']>
export type Measured = Schemas['CallFigures']
export interface Figures extends Measured {
	first_seen_at: string
	last_seen_at: string
	/** The figures of the previous range: null for a row that was not in it, absent without a comparison. */
	previous?: Measured | null
}

/** One row of a list, whatever its grouping. */
export interface BreakdownRow extends Figures {
	/** Unique among the rows. */
	key: string
	name: string
	detail?: string
	/** The condition that selects exactly these calls; null if the API has none. */
	filter: CallFilter | null
	link?: { to: string; params: Record<string, string>; search?: Record<string, unknown> }
}

/** Why a list has no rows: there may be calls, of which none has failed, or none names a user. */
export function noRowsText(by: By): string {
	if (by === 'errors') return 'No failures in this period'
	return by === 'usage' ? 'No calls in this period' : `No ${by} in the calls of this period`
}

/** Both filters must match. */
export function combineFilters(filter: CallFilter, more: CallFilter | null): CallFilter {
	const conditions = [...(filter.filter ?? []), ...(more?.filter ?? [])]
	return { ...filter, ...more, ...(conditions.length > 0 && { filter: [...new Set(conditions)] }) }
}
