import { queryOptions } from '@tanstack/react-query'
import { api, readAllPages, unwrap } from '../../api.ts'

/** The keys, for screens that show which key a call used. */
export const keyNamesQuery = queryOptions({
	queryKey: ['key-names'],
	queryFn: async () => {
		const pages = await readAllPages((page) =>
			unwrap(api.GET('/v1/keys', { params: { query: { limit: 100, page } } })),
		)
		return { keys: pages.flatMap(({ keys }) => keys) }
	},
	staleTime: 60_000,
})

/** The ingest tokens, for settings that apply to the telemetry of one. */
export const tokenNamesQuery = queryOptions({
	queryKey: ['token-names'],
	queryFn: async () => {
		const pages = await readAllPages((page) =>
			unwrap(api.GET('/v1/ingest-tokens', { params: { query: { limit: 100, page } } })),
		)
		return { ingest_tokens: pages.flatMap(({ ingest_tokens }) => ingest_tokens) }
	},
	staleTime: 60_000,
})
