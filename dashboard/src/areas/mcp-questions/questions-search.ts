import { oneOf, pickText } from '../../lib/pick-text.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'
import { type McpQuestion, mcpQuestions } from './questions.ts'

/** What is asked, as the URL carries it. */
export interface McpSearch extends Partial<TimeRange> {
	ask?: McpQuestion
	agent?: string
	server?: string
}

export function parseMcpSearch(search: Record<string, unknown>): McpSearch {
	const known = mcpQuestions.map(({ value }) => value)
	const ask = oneOf(known, search.ask)
	const range = parseRange(search)
	return {
		...(ask && ask !== 'selection' && { ask }),
		...(range.start !== defaultRange.start && range),
		...pickText(search, ['agent', 'server']),
	}
}
