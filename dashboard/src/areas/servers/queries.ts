import type { operations } from '@signalbox/contract/api'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

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
