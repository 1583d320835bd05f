import { oneOf, pickText } from '../../lib/pick-text.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'
import { type Insight, insightNames } from './insight-names.ts'

/** The parameters of an insight, as in the URL. */
export interface InsightsSearch extends Partial<TimeRange> {
	insight?: Insight
	agent?: string
	server?: string
}

export function parseInsightsSearch(search: Record<string, unknown>): InsightsSearch {
	const known = insightNames.map(({ value }) => value)
	// Old links use `ask`.
	const insight = oneOf(known, search.insight ?? search.ask)
	const range = parseRange(search)
	return {
		...(insight && insight !== 'selection' && { insight }),
		...(range.start !== defaultRange.start && range),
		...pickText(search, ['agent', 'server']),
	}
}
