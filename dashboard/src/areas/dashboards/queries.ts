import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'

export const dashboardsQuery = queryOptions({
	queryKey: ['dashboards', 'list'],
	queryFn: () =>
		unwrap(api.GET('/v1/dashboards', { params: { query: { limit: 100, sort: 'name', order: 'asc' } } })),
})

/** A dashboard with its version, to which a change must refer. */
export function dashboardQuery(id: string) {
	return queryOptions({
		queryKey: ['dashboards', id],
		queryFn: async () => {
			const call = api.GET('/v1/dashboards/{id}', { params: { path: { id } } })
			return { dashboard: await unwrap(call), version: (await call).response.headers.get('etag') }
		},
	})
}

export function refreshDashboards(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: ['dashboards'] })
}
