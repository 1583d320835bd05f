import { oneOf } from '../../lib/pick-text.ts'

const tabs = ['connections', 'routes', 'limits', 'hooks'] as const
export type ModelTab = (typeof tabs)[number]

export interface ConnectionsSearch {
	tab?: ModelTab
	create?: true
	/** The connection, route, limit or hook that is open. */
	open?: string
}

export function parseConnectionsSearch(search: Record<string, unknown>): ConnectionsSearch {
	const tab = oneOf(tabs, search.tab)
	return {
		...(tab && tab !== 'connections' && { tab }),
		...(search.create ? { create: true } : {}),
		...(search.open ? { open: String(search.open) } : {}),
	}
}
