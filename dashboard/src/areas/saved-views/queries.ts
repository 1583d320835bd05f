import type { operations } from '@signalbox/contract/api'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type SavedView = Schemas['Question']
export type SavedViewInput = operations['questions.create']['requestBody']['content']['application/json']

/** The newest hundred saved views: those of Spotlight, which can be watched and shown on dashboards, and those of lists. */
export const viewsQuery = queryOptions({
	queryKey: ['questions'],
	queryFn: () => unwrap(api.GET('/v1/questions', { params: { query: { limit: 100 } } })),
})

/** Only those of Spotlight. */
export const spotlightViewsQuery = queryOptions({
	...viewsQuery,
	select: ({ questions }: { questions: SavedView[] }) => ({
		questions: questions.filter(({ address }) => address === null),
	}),
})

export function refreshViews(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: spotlightViewsQuery.queryKey })
}
