export interface Page {
	page: number
	limit: number
}

/** The pagination block of a list of managed objects. */
export function paginate({ page, limit }: Page, total: number) {
	return { page, limit, total, total_pages: Math.ceil(total / limit) }
}
