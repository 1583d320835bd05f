import { useSyncExternalStore } from 'react'
import { pauseRequests } from '../../lib/session-fetch.ts'

let hasEnded = false
const listeners = new Set<() => void>()

/** For a session that ended while something was entered on the page: it is not left, and the person is asked to sign in on it. */
export function setSessionEnded(ended: boolean): void {
	hasEnded = ended
	pauseRequests(ended)
	for (const listener of listeners) listener()
}

export function useSessionEnded(): boolean {
	return useSyncExternalStore(
		(listener) => {
			listeners.add(listener)
			return () => listeners.delete(listener)
		},
		() => hasEnded,
	)
}
