import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../../api.ts'

/** The newest keys, for screens that show what was called with one. */
export const keyNamesQuery = queryOptions({
	queryKey: ['key-names'],
	queryFn: () => take(api.GET('/v1/keys', { params: { query: { limit: 100 } } })),
	staleTime: 60_000,
})

/** The newest ingest tokens, for what is said of the telemetry that one brings. */
export const tokenNamesQuery = queryOptions({
	queryKey: ['token-names'],
	queryFn: () => take(api.GET('/v1/ingest-tokens', { params: { query: { limit: 100 } } })),
	staleTime: 60_000,
})
