import { useQuery } from '@tanstack/react-query'
import { requestsQuery } from '../areas/access-requests/queries.ts'
import { approvalsQuery } from '../areas/approvals/queries.ts'
import { useCan } from '../areas/identity/session.ts'
import { pendingDefinitionsQuery } from '../areas/tool-definitions/queries.ts'

const decidingApprovals = ['approvals:read', 'approvals:decide'] as const

export type WaitingKind = 'approvals' | 'requests' | 'definitions'

/** The number of decisions that are pending for this person; 0 for those who cannot decide. */
export function useWaitingCounts(): Record<WaitingKind, number> {
	const [approves, grants, pins] = [
		useCan(decidingApprovals),
		useCan('access:write'),
		useCan('servers:write'),
	]
	const approvals = useQuery({ ...approvalsQuery({ status: 'pending', limit: 1 }), enabled: approves })
	const requests = useQuery({ ...requestsQuery({ status: 'pending', limit: 1 }), enabled: grants })
	const definitions = useQuery({ ...pendingDefinitionsQuery, enabled: pins })
	return {
		approvals: approvals.data?.pagination.total ?? 0,
		requests: requests.data?.pagination.total ?? 0,
		definitions: definitions.data?.pending.length ?? 0,
	}
}
