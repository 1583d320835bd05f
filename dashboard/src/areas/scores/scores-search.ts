import { oneOf, pickText } from '../../lib/pick-text.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'
import type { ScoreFilter } from './queries.ts'
import { sourceTexts } from './score-texts.ts'

export interface ScoresSearch extends Partial<TimeRange>, ScoreFilter {}

export function parseScoresSearch(search: Record<string, unknown>): ScoresSearch {
	const range = parseRange(search)
	const source = oneOf(Object.keys(sourceTexts) as NonNullable<ScoreFilter['source']>[], search.source)
	return {
		...(range.start !== defaultRange.start && range),
		...pickText(search, ['name']),
		...(source && { source }),
	}
}
