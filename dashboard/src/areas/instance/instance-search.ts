const tabs = ['settings', 'workspaces', 'operators', 'links', 'keys', 'refusals'] as const

export type InstanceTab = (typeof tabs)[number]

export interface InstanceSearch {
	tab?: InstanceTab
	q?: string
	page?: number
}

export function parseInstanceSearch(search: Record<string, unknown>): InstanceSearch {
	const tab = tabs.find((known) => known === search.tab)
	return {
		...(tab && tab !== 'settings' && { tab }),
		...(search.q ? { q: String(search.q) } : {}),
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
	}
}
