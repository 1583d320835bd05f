export interface DefinitionsSearch {
	tool?: string
	/** Hashes of the two compared definitions; absent: the approved one and the current one. */
	from?: string
	to?: string
}

export function parseDefinitionsSearch(search: Record<string, unknown>): DefinitionsSearch {
	return {
		...(search.tool ? { tool: String(search.tool) } : {}),
		...(search.from ? { from: String(search.from) } : {}),
		...(search.to ? { to: String(search.to) } : {}),
	}
}
