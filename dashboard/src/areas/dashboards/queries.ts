import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, take } from '../../api.ts'

export const dashboardsQuery = queryOptions({
	queryKey: ['dashboards', 'list'],
	queryFn: () =>
		take(api.GET('/v1/dashboards', { params: { query: { limit: 100, sort: 'name', order: 'asc' } } })),
})

export function dashboardQuery(id: string) {
	return queryOptions({
		queryKey: ['dashboards', id],
		queryFn: () => take(api.GET('/v1/dashboards/{id}', { params: { path: { id } } })),
	})
}

export function refreshDashboards(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: ['dashboards'] })
}
