import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api.ts'

/** Reads are tried again only when another try can help; what was asked wrongly stays wrong. */
export function createQueries(): QueryClient {
	return new QueryClient({
		defaultOptions: {
			queries: {
				staleTime: 5_000,
				retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
			},
		},
	})
}
