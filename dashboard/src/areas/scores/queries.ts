import type { operations } from '@signalbox/contract/api'
import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { freshMs, type TimeRange } from '../../lib/time-range.ts'

export type Score = Schemas['Score']
export type ScoreFigures = Schemas['ScoreFigures']
export type ScoreInput = operations['scores.create']['requestBody']['content']['application/json']

export interface ScoreFilter {
	name?: string
	source?: NonNullable<Score['source']>
}

/** The scored object: a trace, or a session. */
export type ScoredObject = { trace_id: string } | { session_id: string }

export function scoresQuery(range: TimeRange, filter: ScoreFilter) {
	return infiniteQueryOptions({
		queryKey: ['scores', 'list', range, filter],
		queryFn: ({ pageParam }) => {
			const query = { ...range, ...filter, limit: 100, ...(pageParam && { cursor: pageParam }) }
			return unwrap(api.GET('/v1/scores', { params: { query } }))
		},
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
		refetchInterval: ({ state }) => freshMs(range, state.data?.pages.length),
	})
}

export function scoreFiguresQuery(range: TimeRange) {
	return queryOptions({
		queryKey: ['scores', 'figures', range],
		queryFn: () => unwrap(api.GET('/v1/spotlight/scores', { params: { query: { ...range, limit: 100 } } })),
		placeholderData: keepPreviousData,
		refetchInterval: freshMs(range),
	})
}

/** The newest 50 scores of one trace or session. */
export function scoresOfQuery(scored: ScoredObject) {
	return queryOptions({
		queryKey: ['scores', 'of', scored],
		queryFn: () =>
			unwrap(api.GET('/v1/scores', { params: { query: { ...scored, start: '-365d', limit: 50 } } })),
		refetchInterval: 5_000,
	})
}

export function refreshScores(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: ['scores'] })
}
