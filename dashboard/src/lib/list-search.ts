export interface ListSearch {
	/** Part of the name. */
	q?: string
	page?: number
}

/** The parameters of every list in the URL; malformed ones are dropped. */
export function parseListSearch(search: Record<string, unknown>): ListSearch {
	return {
		...(search.q ? { q: String(search.q) } : {}),
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
	}
}
