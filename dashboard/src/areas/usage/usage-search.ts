import { pickText } from '../../lib/pick-text.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'

/** The whole view of a page of sessions, users, tools or models, as its address carries it. */
export interface UsageSearch extends Partial<TimeRange> {
	/** Part of the name. */
	q?: string
	sort?: string
	/** The columns that are shown, in their order. */
	columns?: string[]
	/** What one page is about. */
	user?: string
	server?: string
	tool?: string
	provider?: string
	model?: string
	/** What its calls are split by over time. */
	split?: string
	compare?: true
}

const texts = ['q', 'sort', 'user', 'server', 'tool', 'provider', 'model', 'split'] as const

export function parseUsageSearch(search: Record<string, unknown>): UsageSearch {
	const range = parseRange(search)
	const columns = [search.columns ?? []].flat().filter((key) => typeof key === 'string')
	return {
		...(range.start !== defaultRange.start && range),
		...pickText(search, texts),
		...(columns.length > 0 && { columns: columns as string[] }),
		...(search.compare ? { compare: true as const } : {}),
	}
}

export function rangeOf({ start, end }: UsageSearch): TimeRange {
	return start ? { start, ...(end && { end }) } : defaultRange
}
