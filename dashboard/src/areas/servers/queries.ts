import type { operations } from '@signalbox/contract/api'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, readAllPages, type Schemas, unwrap } from '../../api.ts'

export type ServerSummary = Schemas['McpServerSummary']
export type Server = Schemas['McpServer']
export type Tool = Schemas['Tool']

type ServerFilter = NonNullable<operations['servers.list']['parameters']['query']>
const byId = (id: string) => ({ params: { path: { id } } })

export function serversQuery(filter: ServerFilter) {
	return queryOptions({
		queryKey: ['servers', 'list', filter],
		queryFn: () =>
			unwrap(
				api.GET('/v1/mcp/servers', {
					params: { query: { limit: 100, sort: 'name', order: 'asc', ...filter } },
				}),
			),
		placeholderData: keepPreviousData,
	})
}

/** The servers to choose from. */
export const allServersQuery = queryOptions({
	queryKey: ['servers', 'list', 'all'],
	queryFn: async () => {
		const query = { limit: 100, sort: 'name', order: 'asc' } as const
		const pages = await readAllPages((page) =>
			unwrap(api.GET('/v1/mcp/servers', { params: { query: { ...query, page } } })),
		)
		return { mcp_servers: pages.flatMap(({ mcp_servers }) => mcp_servers) }
	},
})

export function serverQuery(id: string) {
	return queryOptions({
		queryKey: ['servers', id],
		queryFn: () => unwrap(api.GET('/v1/mcp/servers/{id}', byId(id))),
		refetchInterval: 10_000,
	})
}

export function toolsQuery(id: string) {
	return queryOptions({
		queryKey: ['servers', id, 'tools'],
		queryFn: () => unwrap(api.GET('/v1/mcp/servers/{id}/tools', byId(id))),
	})
}

/** Runs a health check of the server each time. */
export function checkHealth(id: string): Promise<Schemas['Health']> {
	return unwrap(api.GET('/v1/mcp/servers/{id}/health', byId(id)))
}

/** Call it after a change of a server, or of what agents may do on it. */
export function refreshServers(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: ['servers'] })
}
