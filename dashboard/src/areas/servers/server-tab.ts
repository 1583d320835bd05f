export type ServerTab =
	| 'tools'
	| 'playground'
	| 'access'
	| 'program'
	| 'log'
	| 'credentials'
	| 'health'
	| 'settings'

const others: readonly ServerTab[] = [
	'playground',
	'access',
	'program',
	'log',
	'credentials',
	'health',
	'settings',
]

export interface ServerSearch {
	tab?: ServerTab
	/** The tool of the playground. */
	tool?: string
}

export function parseServerSearch(search: Record<string, unknown>): ServerSearch {
	const tab = others.find((known) => known === search.tab)
	return {
		...(tab && { tab }),
		...(tab === 'playground' && search.tool ? { tool: String(search.tool) } : {}),
	}
}
