import { pickText } from '../../lib/pick-text.ts'
import { parseTableView, type TableView } from '../../lib/table-view.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'
import { parseFilter } from '../telemetry/attribute-search.ts'

/** The whole view of a page of sessions, users, tools or models, as its address carries it. */
export interface UsageSearch extends Partial<TimeRange>, TableView {
	/** Part of the name. */
	q?: string
	/** What one page is about. */
	user?: string
	server?: string
	tool?: string
	provider?: string
	model?: string
	/** What its calls are split by over time. */
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
