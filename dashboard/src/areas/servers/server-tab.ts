import { parseUsageSearch, type UsageSearch } from '../usage/usage-search.ts'

export type ServerTab =
	| 'tools'
	| 'usage'
	| 'playground'
	| 'access'
	| 'program'
	| 'log'
	| 'credentials'
	| 'health'
	| 'settings'

const others: readonly ServerTab[] = [
	'usage',
	'playground',
	'access',
	'program',
	'log',
	'credentials',
	'health',
	'settings',
]

export interface ServerSearch extends UsageSearch {
	tab?: ServerTab
	/** The tool selected in the playground. */
	tool?: string
}

export function parseServerSearch(search: Record<string, unknown>): ServerSearch {
	const tab = others.find((known) => known === search.tab)
	return {
		...(tab && { tab }),
		...(tab === 'usage' && parseUsageSearch(search)),
		...(tab === 'playground' && search.tool ? { tool: String(search.tool) } : {}),
	}
}
