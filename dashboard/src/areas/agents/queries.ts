import type { operations } from '@signalbox/contract/api'
import {
	keepPreviousData,
	type QueryClient,
	queryOptions,
	useMutation,
	useQueryClient,
} from '@tanstack/react-query'
import { api, changeShown, readAllPages, type Schemas, unwrap } from '../../api.ts'
import { toast } from '../../ui/toast.tsx'

export type Agent = Schemas['Agent']
type AgentFilter = NonNullable<operations['agents.list']['parameters']['query']>

export function agentsQuery(filter: AgentFilter) {
	return queryOptions({
		queryKey: ['agents', 'list', filter],
		queryFn: () =>
			unwrap(
				api.GET('/v1/agents', { params: { query: { limit: 100, sort: 'name', order: 'asc', ...filter } } }),
			),
		placeholderData: keepPreviousData,
	})
}

/** The agents to choose from. */
export const allAgentsQuery = queryOptions({
	queryKey: ['agents', 'list', 'all'],
	queryFn: async () => {
		const query = { limit: 100, sort: 'name', order: 'asc' } as const
		const pages = await readAllPages((page) =>
			unwrap(api.GET('/v1/agents', { params: { query: { ...query, page } } })),
		)
		return { agents: pages.flatMap(({ agents }) => agents) }
	},
})

export function agentQuery(id: string) {
	return queryOptions({
		queryKey: ['agents', id],
		queryFn: () => unwrap(api.GET('/v1/agents/{id}', { params: { path: { id } } })),
		refetchInterval: 5_000,
	})
}

export function agentKeysQuery(id: string) {
	return queryOptions({
		queryKey: ['agents', id, 'keys'],
		queryFn: async () => {
			const pages = await readAllPages((page) =>
				unwrap(api.GET('/v1/keys', { params: { query: { agent_uuid: id, limit: 100, page } } })),
			)
			return { keys: pages.flatMap(({ keys }) => keys) }
		},
	})
}

export function refreshAgents(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: ['agents'] })
}

/** Groups, model access and limits decide what an agent may do; the server asks for the right to give access too. */
export const accessOfAgents = ['agents:write', 'access:write'] as const

type AgentChange = operations['agents.update']['requestBody']['content']['application/json']

/** Changes an agent. */
export function useChangeAgent(agent: Agent) {
	const queries = useQueryClient()
	return useMutation({
		mutationFn: (body: AgentChange) => changeShown('/v1/agents/{id}', { id: agent.uuid }, agent, body),
		onSuccess: () => {
			toast('Saved')
			return Promise.all([refreshAgents(queries), queries.invalidateQueries({ queryKey: ['toolsets'] })])
		},
	})
}

export function installQuery(id: string, server: string) {
	return queryOptions({
		queryKey: ['agents', id, 'install', server],
		queryFn: () =>
			unwrap(
				api.GET('/v1/agents/{id}/install', {
					params: { path: { id }, query: server ? { server } : {} },
				}),
			),
	})
}
