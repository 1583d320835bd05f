import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api.ts'

/**
 * Reads are tried again only when another try can help; what was asked wrongly stays wrong. Nothing waits for a network: offline
 * each says so at once, and a change is never sent later than it was made.
 */
export function createQueries(): QueryClient {
	return new QueryClient({
		defaultOptions: {
			queries: {
				networkMode: 'always',
				staleTime: 5_000,
				retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
			},
			mutations: { networkMode: 'always' },
		},
	})
}
