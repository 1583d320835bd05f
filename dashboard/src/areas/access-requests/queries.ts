import type { operations } from '@signalbox/contract/api'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { toast } from '../../ui/toast.tsx'

export type AccessRequest = Schemas['AccessRequest']
type RequestFilter = NonNullable<operations['access-requests.list']['parameters']['query']>

export const requestsKey = ['access-requests'] as const
/** Only admins receive events about requests; for others the list is polled. */
const pollMs = 15_000

export function requestsQuery(filter: RequestFilter) {
	return queryOptions({
		queryKey: [...requestsKey, 'list', filter],
		queryFn: () => unwrap(api.GET('/v1/access-requests', { params: { query: filter } })),
		placeholderData: keepPreviousData,
		refetchInterval: pollMs,
	})
}

export interface Ask {
	agent_uuid: string
	server: string
	/** Absent: all tools. */
	tool?: string
	reason?: string
}

export function useAsk() {
	const queries = useQueryClient()
	return useMutation({
		mutationFn: (body: Ask) => unwrap(api.POST('/v1/access-requests', { body })),
		onSuccess: () => {
			toast('Asked: an admin of the workspace decides')
			return queries.invalidateQueries({ queryKey: requestsKey })
		},
	})
}

/** An admin's decision on a request. A new grant refreshes the screens of its agent and its server. */
export function useRequestDecision({ id, agent, server }: AccessRequest) {
	const queries = useQueryClient()
	const path = { params: { path: { id } } }
	const onSettled = () =>
		Promise.all(
			[requestsKey, ['agents'], ['servers']].map((queryKey) => queries.invalidateQueries({ queryKey })),
		)
	return {
		grant: useMutation({
			mutationFn: () => unwrap(api.POST('/v1/access-requests/{id}/grant', path)),
			onSuccess: () => toast(`Granted: ${agent.name} on ${server.name}`),
			onSettled,
		}),
		decline: useMutation({
			mutationFn: () => unwrap(api.POST('/v1/access-requests/{id}/decline', path)),
			onSuccess: () => toast(`Declined: ${agent.name} on ${server.name}`),
			onSettled,
		}),
	}
}
