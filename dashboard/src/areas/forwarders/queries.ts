import type { operations } from '@signalbox/contract/api'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type Forwarder = Schemas['Forwarder']
export type ForwarderInput = operations['forwarders.create']['requestBody']['content']['application/json']
export type ForwarderChange = operations['forwarders.update']['requestBody']['content']['application/json']

export function forwardersQuery(page: number) {
	return queryOptions({
		queryKey: ['forwarders', 'list', page],
		queryFn: () => unwrap(api.GET('/v1/forwarders', { params: { query: { limit: 50, page } } })),
		placeholderData: keepPreviousData,
	})
}

export function forwarderQuery(id: string) {
	return queryOptions({
		queryKey: ['forwarders', id],
		queryFn: () => unwrap(api.GET('/v1/forwarders/{id}', { params: { path: { id } } })),
		refetchInterval: 5_000,
	})
}

export function refreshForwarders(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: ['forwarders'] })
}
