import type { operations } from '@signalbox/contract/api'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, type Schemas, unwrap } from '../../api.ts'
import { toast, toastFailure } from '../../ui/toast.tsx'

export type Approval = Schemas['Approval']
type ApprovalFilter = NonNullable<operations['approvals.list']['parameters']['query']>

/** Limits the age of lists if the event stream is lost. */
const pollMs = 15_000
/** Prefix of all queries on approvals, which are invalidated by their events. */
export const approvalsKey = ['approvals'] as const

export function approvalsQuery(filter: ApprovalFilter) {
	return queryOptions({
		queryKey: [...approvalsKey, 'list', filter],
		queryFn: () => unwrap(api.GET('/v1/approvals', { params: { query: filter } })),
		placeholderData: keepPreviousData,
		refetchInterval: pollMs,
	})
}

/** Pending approvals, those that expire first at the beginning. */
export const waitingQuery = approvalsQuery({
	status: 'pending',
	sort: 'expires_at',
	order: 'asc',
	limit: 100,
})

export function approvalQuery(id: string) {
	return queryOptions({
		queryKey: [...approvalsKey, id],
		queryFn: () => unwrap(api.GET('/v1/approvals/{id}', { params: { path: { id } } })),
		refetchInterval: pollMs,
	})
}

export interface Approve {
	reason?: string
	/** For all calls of the tool by the agent; absent: this call only. */
	for_minutes?: number
}

/** The decisions on one call. Whatever their outcome, all screens then show the current state. */
export function useDecisions(approval: Approval) {
	const queries = useQueryClient()
	const path = { params: { path: { id: approval.id } } }
	const call = `${approval.tool} by ${approval.agent.name}`
	const then = (done: string) => ({
		onSuccess: () => toast(`${done}: ${call}`),
		// A toast, because the card disappears with the call and its own message would be lost.
		onError: (error: unknown) => {
			if (error instanceof ApiError && error.code === 'approval_decided') toastFailure(error.message)
		},
		onSettled: () => queries.invalidateQueries({ queryKey: approvalsKey }),
	})
	return {
		approve: useMutation({
			mutationFn: (body: Approve) => unwrap(api.POST('/v1/approvals/{id}/approve', { ...path, body })),
			...then('Approved'),
		}),
		deny: useMutation({
			mutationFn: (body: { reason?: string }) =>
				unwrap(api.POST('/v1/approvals/{id}/deny', { ...path, body })),
			...then('Denied'),
		}),
		revoke: useMutation({
			mutationFn: () => unwrap(api.POST('/v1/approvals/{id}/revoke', path)),
			...then('Approval revoked'),
		}),
	}
}
