import { spanStatuses } from '@signalbox/contract/span-status'
import { oneOf, pickText } from '../../lib/pick-text.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'
import { parseFilter } from '../telemetry/attribute-search.ts'
import { type By, breakdowns, type CallFilter, type Sort } from './breakdowns.ts'

export const kinds = ['tool_call', 'model_call', 'mcp'] as const
export const textFilters = [
	'agent',
	'server',
	'tool',
	'provider',
	'model',
	'connection',
	'user',
	'session',
	'client',
	'error_type',
	'resource',
	'prompt',
] as const
const measures = ['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost'] as const
export type Measure = (typeof measures)[number]
const sorts: readonly Sort[] = [
	...measures,
	'last_seen',
	...measures.map((measure) => `${measure}_change` as const),
]
/** Maximum number of fields and attributes for grouping, besides the list's own; the limit of the API. */
export const maxGroups = 3

/** The whole query, as in the URL. */
export interface SpotlightSearch extends CallFilter, Partial<TimeRange> {
	by?: By
	sort?: Sort
	compare?: true
	group_by?: string[]
}

/** The measure whose change a list is sorted by, or null. */
export function changeMeasureOf(sort: Sort): Measure | null {
	return measures.find((measure) => sort === `${measure}_change`) ?? null
}

export function parseSpotlightSearch(search: Record<string, unknown>): SpotlightSearch {
	const by = breakdowns.find((one) => one.by === search.by)?.by
	const sort = oneOf(sorts, search.sort)
	const kind = oneOf(kinds, search.kind)
	const status = oneOf(spanStatuses, search.status)
	const range = parseRange(search)
	return {
		...(by && by !== 'tools' && { by }),
		...(range.start !== defaultRange.start && range),
		...(sort && sort !== 'calls' && { sort }),
		...(search.compare ? { compare: true as const } : {}),
		...parseGroups(search.group_by),
		...(kind && { kind }),
		...(status && { status }),
		...pickText(search, textFilters),
		...parseFilter(search.filter),
	}
}

function parseGroups(value: unknown): { group_by?: string[] } {
	const names = [value ?? []].flat().filter((name) => typeof name === 'string' && name.length <= 256)
	const group_by = [...new Set(names as string[])].filter(Boolean).slice(0, maxGroups)
	return group_by.length > 0 ? { group_by } : {}
}

/** Only the conditions. */
export function filterOf({
	by: _by,
	sort: _sort,
	compare: _compare,
	group_by: _groups,
	start: _start,
	end: _end,
	...filter
}: SpotlightSearch): CallFilter {
	return filter
}
