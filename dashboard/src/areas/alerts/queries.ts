import type { operations } from '@signalbox/contract/api'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type Alert = Schemas['Alert']
export type AlertInput = operations['alerts.create']['requestBody']['content']['application/json']
export type AlertChange = operations['alerts.update']['requestBody']['content']['application/json']

export const alertsKey = ['alerts']
/** Changes of state arrive as events, but an evaluation without a change causes none. */
const freshMs = 10_000

export function alertsQuery(page: number) {
	return queryOptions({
		queryKey: [...alertsKey, 'list', page],
		queryFn: () => unwrap(api.GET('/v1/alerts', { params: { query: { limit: 50, page } } })),
		placeholderData: keepPreviousData,
		refetchInterval: freshMs,
	})
}

/** The number of firing alerts. */
export const firingQuery = queryOptions({
	queryKey: [...alertsKey, 'firing'],
	queryFn: () => unwrap(api.GET('/v1/alerts', { params: { query: { status: 'firing', limit: 1 } } })),
	refetchInterval: freshMs,
})

export function alertQuery(id: string) {
	return queryOptions({
		queryKey: [...alertsKey, id],
		queryFn: () => unwrap(api.GET('/v1/alerts/{id}', { params: { path: { id } } })),
		refetchInterval: freshMs,
	})
}

export function historyQuery(id: string) {
	return queryOptions({
		queryKey: [...alertsKey, id, 'history'],
		queryFn: () => unwrap(api.GET('/v1/alerts/{id}/history', { params: { path: { id } } })),
		refetchInterval: freshMs,
	})
}

export function refreshAlerts(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: alertsKey })
}
