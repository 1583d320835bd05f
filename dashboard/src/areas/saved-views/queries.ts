import type { operations } from '@signalbox/contract/api'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type SavedView = Schemas['Question']
export type SavedViewInput = operations['questions.create']['requestBody']['content']['application/json']

/** All saved views, newest first: those of Spotlight, which can be watched and shown on dashboards, and those of lists. */
export const viewsQuery = queryOptions({
	queryKey: ['questions'],
	queryFn: async () => {
		const questions: SavedView[] = []
		for (let page = 1, pages = 1; page <= pages; page++) {
			const answer = await unwrap(api.GET('/v1/questions', { params: { query: { limit: 100, page } } }))
			questions.push(...answer.questions)
			pages = answer.pagination.total_pages
		}
		return { questions }
	},
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
