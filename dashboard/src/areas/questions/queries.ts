import type { operations } from '@signalbox/contract/api'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, take } from '../../api.ts'

export type Question = Schemas['Question']
export type QuestionInput = operations['questions.create']['requestBody']['content']['application/json']

/** The newest hundred. */
export const questionsQuery = queryOptions({
	queryKey: ['questions'],
	queryFn: () => take(api.GET('/v1/questions', { params: { query: { limit: 100 } } })),
})

export function refreshQuestions(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: questionsQuery.queryKey })
}
