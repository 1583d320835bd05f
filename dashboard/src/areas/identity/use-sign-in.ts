import { useMutation, useQueryClient } from '@tanstack/react-query'
import { basePath } from '../../lib/base-url.ts'

/** Runs a way of signing in. The server sets the session's cookies; then the requested screen opens. */
export function useSignIn<T>(run: (input: T) => Promise<unknown>, next = '/') {
	const queries = useQueryClient()
	return useMutation({
		mutationFn: run,
		onSuccess: async () => {
			queries.clear()
			// A full page load, because the address determines the workspace.
			location.assign(`${basePath}${localPath(next)}`)
		},
	})
}

/** Only a path of the dashboard itself, because a link must not lead a person who has just signed in to another site. */
export function localPath(next: string): string {
	const path = next.startsWith('/ui') ? next : `/ui${next}`
	return /^\/ui(\/(?![/\\])|$)/.test(path) ? path : '/ui/'
}
