import { MutationCache, notifyManager, QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api.ts'
import { meQuery } from '../areas/identity/session.ts'

/**
 * Reads are retried only if another attempt can help; an invalid request stays invalid. Requests do not wait for a network: offline
 * they fail at once, and a change is never sent later than it was made.
 */
export function createQueries(): QueryClient {
	// By default a timer: a button would not be busy yet when the second click of a double click comes, and two objects would be created.
	notifyManager.setScheduler(queueMicrotask)
	const client = new QueryClient({
		mutationCache: new MutationCache({
			onError: async (error) => {
				if (!(error instanceof ApiError)) return
				// The person's role has changed since the page was loaded, so other controls may be refused too.
				if (error.status === 403) void client.invalidateQueries({ queryKey: meQuery.queryKey })
				// Somebody else has changed the object; the form shows how before it says that it is not saved.
				if (error.status === 412) await client.invalidateQueries()
			},
		}),
		defaultOptions: {
			queries: {
				networkMode: 'always',
				staleTime: 5_000,
				retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
			},
			mutations: { networkMode: 'always' },
		},
	})
	return client
}
