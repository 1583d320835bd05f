export type ServerTab = 'tools' | 'playground' | 'access' | 'health' | 'settings'

const others: readonly ServerTab[] = ['playground', 'access', 'health', 'settings']

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
