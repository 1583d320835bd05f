import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../../api.ts'

/** The newest keys, for screens that show what was called with one. */
export const keyNamesQuery = queryOptions({
	queryKey: ['key-names'],
	queryFn: () => take(api.GET('/v1/keys', { params: { query: { limit: 100 } } })),
	staleTime: 60_000,
})
