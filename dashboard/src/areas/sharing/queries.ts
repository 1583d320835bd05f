import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type Share = Schemas['SessionShare']

export const sharingQuery = queryOptions({
	queryKey: ['sharing'],
	queryFn: () => unwrap(api.GET('/v1/sharing')),
})

/** The links to a session, or all links of the workspace; the newest hundred. */
export function sharesQuery(sessionId?: string) {
	return queryOptions({
		queryKey: ['sharing', 'links', sessionId],
		queryFn: () =>
			unwrap(
				api.GET('/v1/spotlight/shares', {
					params: { query: { limit: 100, ...(sessionId !== undefined && { session_id: sessionId }) } },
				}),
			),
	})
}

/** What a link shows, page by page. */
export function sharedQuery(token: string) {
	return infiniteQueryOptions({
		queryKey: ['shared', token],
		queryFn: ({ pageParam }) =>
			unwrap(
				api.POST('/shared/session', {
					body: { token, limit: 100, ...(pageParam && { cursor: pageParam }) },
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
		retry: false,
	})
}
