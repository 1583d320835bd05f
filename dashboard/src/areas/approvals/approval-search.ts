import type { Approval } from './queries.ts'

export type ApprovalStatus = Approval['status']

export const decidedStatuses = [
	'approved',
	'used',
	'denied',
	'expired',
	'revoked',
] as const satisfies readonly ApprovalStatus[]

/** Filters of the list of earlier calls; without a status, all of them. */
export interface ApprovalsSearch {
	status?: (typeof decidedStatuses)[number]
	page?: number
}

export function parseApprovalsSearch(search: Record<string, unknown>): ApprovalsSearch {
	const status = decidedStatuses.find((known) => known === search.status)
	return {
		...(status && { status }),
		...(Number(search.page) > 1 ? { page: Math.floor(Number(search.page)) } : {}),
	}
}
