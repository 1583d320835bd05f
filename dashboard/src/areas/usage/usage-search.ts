import { pickText } from '../../lib/pick-text.ts'
import { parseTableView, type TableView } from '../../lib/table-view.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'
import { parseFilter } from '../telemetry/attribute-search.ts'

/** The whole state of a page of sessions, users, tools or models, as in the address. */
export interface UsageSearch extends Partial<TimeRange>, TableView {
	/** Part of the name. */
	q?: string
	/** The subject of a detail page. */
	user?: string
	server?: string
	tool?: string
	provider?: string
	model?: string
	/** The property by which its calls are split over time. */
	split?: string
	compare?: true
	/** Conditions in the grammar of the API. */
	filter?: string[]
}

const texts = ['q', 'user', 'server', 'tool', 'provider', 'model', 'split'] as const

export function parseUsageSearch(search: Record<string, unknown>): UsageSearch {
	const range = parseRange(search)
	return {
		...(range.start !== defaultRange.start && range),
		...pickText(search, texts),
		...parseTableView(search),
		...parseFilter(search.filter),
		...(search.compare ? { compare: true as const } : {}),
	}
}

export function rangeOf({ start, end }: UsageSearch): TimeRange {
	return start ? { start, ...(end && { end }) } : defaultRange
}
