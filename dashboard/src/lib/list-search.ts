export interface ListSearch {
	/** Part of the name. */
	q?: string
	page?: number
}

/** What every list carries in the URL; anything malformed is left out. */
export function parseListSearch(search: Record<string, unknown>): ListSearch {
	return {
		...(search.q ? { q: String(search.q) } : {}),
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
	}
}
