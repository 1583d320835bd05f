/** The filters of the list, as in the URL. */
export interface AuditSearch {
	/** Id or name. */
	actor?: string
	/** `area.verb`, or `area.*`. */
	action?: string
	/** Id of the object. */
	target?: string
	/** RFC 3339, or relative, such as `-7d`. */
	start?: string
	end?: string
}

const names = ['actor', 'action', 'target', 'start', 'end'] as const

export function parseAuditSearch(search: Record<string, unknown>): AuditSearch {
	const filled = names.filter((name) => search[name] !== undefined && search[name] !== '')
	return Object.fromEntries(filled.map((name) => [name, String(search[name])]))
}
