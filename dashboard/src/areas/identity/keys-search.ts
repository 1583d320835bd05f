export const statuses = ['active', 'expired', 'revoked'] as const

export interface KeysSearch {
	tab?: 'tokens'
	status?: (typeof statuses)[number]
	page?: number
	create?: true
}

export function parseKeysSearch(search: Record<string, unknown>): KeysSearch {
	const status = statuses.find((known) => known === search.status)
	return {
		...(search.tab === 'tokens' && { tab: search.tab }),
		...(status && { status }),
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
		...(search.create ? { create: true } : {}),
	}
}
