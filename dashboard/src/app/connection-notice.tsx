import { notifyManager, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { ApiError } from '../api.ts'

/** Lists keep what they showed last, so a reader could not see that it is no longer refreshed. */
export function ConnectionNotice() {
	const isUnanswered = useIsUnanswered()
	const isOnline = useSyncExternalStore(
		(onChange) => {
			for (const name of ['online', 'offline']) addEventListener(name, onChange)
			return () => {
				for (const name of ['online', 'offline']) removeEventListener(name, onChange)
			}
		},
		() => navigator.onLine,
	)
	return (
		<div role="status">
			{(!isOnline || isUnanswered) && (
				<p className="bg-warn-soft px-4 py-2 text-warn sm:px-6 lg:px-8">
					{isOnline ? 'Signalbox does not answer.' : 'You are offline.'} What is shown may be out of date;
					changes cannot be saved.
				</p>
			)}
		</div>
	)
}

/** Whether the latest of all requests got no answer. */
function useIsUnanswered(): boolean {
	const cache = useQueryClient().getQueryCache()
	return useSyncExternalStore(
		(onChange) => cache.subscribe(notifyManager.batchCalls(onChange)),
		() => {
			const states = cache.getAll().map(({ state }) => state)
			const lost = states.filter(({ error }) => error instanceof ApiError && error.status === 0)
			const lostAt = Math.max(0, ...lost.map(({ errorUpdatedAt }) => errorUpdatedAt))
			return lostAt > Math.max(0, ...states.map(({ dataUpdatedAt }) => dataUpdatedAt))
		},
	)
}
