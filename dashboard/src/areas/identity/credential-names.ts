import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'

/** The newest keys, for screens that show which key a call used. */
export const keyNamesQuery = queryOptions({
	queryKey: ['key-names'],
	queryFn: () => unwrap(api.GET('/v1/keys', { params: { query: { limit: 100 } } })),
	staleTime: 60_000,
})

/** The newest ingest tokens, for settings that apply to the telemetry of one. */
export const tokenNamesQuery = queryOptions({
	queryKey: ['token-names'],
	queryFn: () => unwrap(api.GET('/v1/ingest-tokens', { params: { query: { limit: 100 } } })),
	staleTime: 60_000,
})
