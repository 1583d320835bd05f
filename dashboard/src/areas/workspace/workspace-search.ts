import { roles } from '@signalbox/contract/access'
import type { Role } from '../identity/session.ts'

export type WorkspaceTab = 'members' | 'invitations' | 'settings'

export interface WorkspaceSearch {
	tab?: Exclude<WorkspaceTab, 'members'>
	q?: string
	role?: Role
	page?: number
	invite?: true
}

export function parseWorkspaceSearch(search: Record<string, unknown>): WorkspaceSearch {
	const role = roles.find((known) => known === search.role)
	return {
		...(search.tab === 'invitations' || search.tab === 'settings' ? { tab: search.tab } : {}),
		...(search.q ? { q: String(search.q) } : {}),
		...(role && { role }),
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
		...(search.invite ? { invite: true } : {}),
	}
}
