import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { operations } from '../../api.gen.ts'
import { api, type Schemas, take } from '../../api.ts'

export type Agent = Schemas['Agent']
type AgentFilter = NonNullable<operations['agents.list']['parameters']['query']>

export function agentsQuery(filter: AgentFilter) {
	return queryOptions({
		queryKey: ['agents', 'list', filter],
		queryFn: () =>
			take(
				api.GET('/v1/agents', { params: { query: { limit: 100, sort: 'name', order: 'asc', ...filter } } }),
			),
		placeholderData: keepPreviousData,
	})
}

export function agentQuery(id: string) {
	return queryOptions({
		queryKey: ['agents', id],
		queryFn: () => take(api.GET('/v1/agents/{id}', { params: { path: { id } } })),
		refetchInterval: 5_000,
	})
}

export function agentKeysQuery(id: string) {
	return queryOptions({
		queryKey: ['agents', id, 'keys'],
		queryFn: () => take(api.GET('/v1/keys', { params: { query: { agent_uuid: id, limit: 100 } } })),
	})
}

export function refreshAgents(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: ['agents'] })
}
