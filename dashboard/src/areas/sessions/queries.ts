import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type Session = Schemas['SpotlightSession']
export type SessionCall = Schemas['SessionCall']

/** A session page by page; the figures in the newest answer cover the whole session. */
export function sessionQuery(id: string) {
	return infiniteQueryOptions({
		queryKey: ['spotlight', 'session', id],
		queryFn: ({ pageParam }) =>
			unwrap(
				api.GET('/v1/spotlight/sessions/{id}', {
					params: { path: { id }, query: { limit: 100, ...(pageParam && { cursor: pageParam }) } },
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
	})
}
