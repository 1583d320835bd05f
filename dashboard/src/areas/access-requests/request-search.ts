import type { AccessRequest } from './queries.ts'

export type RequestStatus = AccessRequest['status']
const requestStatuses = ['pending', 'granted', 'declined'] as const satisfies readonly RequestStatus[]

export interface RequestSearch {
	/** Prefills the form, like links in refusals; `tool` is the name that the agent used. */
	agent?: string
	tool?: string
	ask?: true
	status?: RequestStatus
	page?: number
}

export function parseRequestSearch(search: Record<string, unknown>): RequestSearch {
	const status = requestStatuses.find((known) => known === search.status)
	return {
		...(search.agent ? { agent: String(search.agent) } : {}),
		...(search.tool ? { tool: String(search.tool) } : {}),
		...(search.ask ? { ask: true } : {}),
		...(status && { status }),
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
	}
}
