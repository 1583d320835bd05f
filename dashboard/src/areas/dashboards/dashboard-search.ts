import { parseRange, type TimeRange } from '../../lib/time-range.ts'

export const panelGroups = ['model', 'agent', 'server', 'tool'] as const
export const panelMeasures = ['calls', 'errors', 'latency', 'tokens', 'cost'] as const
const shows = ['chart', 'list', 'figures'] as const

/** What a chart or list passes on to become a panel. */
export interface PanelSeed {
	show: (typeof shows)[number]
	measure?: (typeof panelMeasures)[number]
	group_by?: (typeof panelGroups)[number]
	/** The grouping of a list. */
	read?: string
	filter?: Record<string, unknown>
}

export interface DashboardsSearch {
	create?: true
	/** The id of a template to copy. */
	copy?: string
	/** A panel to be added to a dashboard. */
	add?: PanelSeed
}

export function parseDashboardsSearch({ create, copy, add }: Record<string, unknown>): DashboardsSearch {
	const given = (typeof add === 'object' && add !== null ? add : {}) as Partial<PanelSeed>
	const show = shows.find((one) => one === given.show)
	return {
		...(create ? { create: true } : {}),
		...(copy ? { copy: String(copy) } : {}),
		...(show && { add: { ...given, show } }),
	}
}

export interface DashboardSearch extends Partial<TimeRange> {
	compare?: true
	edit?: true
}

export function parseDashboardSearch(search: Record<string, unknown>): DashboardSearch {
	return {
		...(search.start ? parseRange(search) : {}),
		...(search.compare ? { compare: true } : {}),
		...(search.edit ? { edit: true } : {}),
	}
}
