import { useMutation, useQueryClient } from '@tanstack/react-query'
import { basePath } from '../../lib/base-url.ts'

/** Runs one of the ways in; the server sets the session's cookies, and the wanted screen follows. */
export function useEnter<T>(run: (input: T) => Promise<unknown>, next = '/') {
	const queries = useQueryClient()
	return useMutation({
		mutationFn: run,
		onSuccess: async () => {
			queries.clear()
			// A page of its own: the address decides which workspace it shows.
			location.assign(`${basePath}${localPath(next)}`)
		},
	})
}

/** Only a path of the dashboard itself: a link must not lead the freshly signed-in person to another site. */
export function localPath(next: string): string {
	const path = next.startsWith('/ui') ? next : `/ui${next}`
	return /^\/ui(\/(?![/\\])|$)/.test(path) ? path : '/ui/'
}
