import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'

export interface MapSearch extends Partial<TimeRange> {
	view?: 'table'
}

export function parseMapSearch(search: Record<string, unknown>): MapSearch {
	const range = parseRange(search)
	return {
		...(range.start !== defaultRange.start && range),
		...(search.view === 'table' && { view: 'table' as const }),
	}
}
