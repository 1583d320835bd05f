import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { api, unwrap } from '../../api.ts'
import { basePath } from '../../lib/base-url.ts'
import { pauseRequests } from '../../lib/session-fetch.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { forgetDrafts } from '../../ui/kept-draft.ts'
import { linkClass } from '../../ui/link.ts'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { CredentialForm, type Credentials } from './credential-form.tsx'
import { setSessionEnded } from './ended-session.ts'
import { meQuery, methodsQuery } from './session.ts'

/** Above a page on which something was entered when the session ended: leaving the page would lose it. */
export function SignInAgain() {
	const { data: methods, error } = useQuery(methodsQuery)
	const goOn = useGoOn()
	const enter = useMutation({
		mutationFn: async ({ email, password }: Credentials) => {
			await unwrap(api.POST('/auth/login', { body: { email, password } }))
			await goOn()
		},
	})
	useEffect(() => {
		// The person may have signed in on another tab.
		const look = () => void (document.visibilityState === 'visible' && goOn().catch(() => undefined))
		document.addEventListener('visibilitychange', look)
		return () => document.removeEventListener('visibilitychange', look)
	}, [goOn])
	return (
		<Dialog
			open
			sticky
			onClose={() => undefined}
			title="Your session has ended"
			description="Sign in again to continue. What you entered here is kept."
		>
			{methods?.password && (
				<CredentialForm action="Sign in" busy={enter.isPending} error={enter.error} onSubmit={enter.mutate} />
			)}
			{methods && !(methods.password && methods.providers.length === 0) && (
				<p className="mt-3 text-center">
					<a href={`${basePath}/ui/sign-in`} target="_blank" rel="noreferrer" className={linkClass}>
						Sign in on a new tab
					</a>
				</p>
			)}
			{!methods && (error ? <InlineError error={error} /> : <SkeletonRows rows={4} />)}
		</Dialog>
	)
}

/** Continues on this page if the same person is signed in again. Another person gets nothing of it. */
function useGoOn(): () => Promise<void> {
	const queries = useQueryClient()
	return useCallback(async () => {
		const before = queries.getQueryData(meQuery.queryKey)
		pauseRequests(false)
		const me = await unwrap(api.GET('/auth/me'))
		if (me.user.id === before?.user.id) {
			setSessionEnded(false)
			await queries.invalidateQueries()
			return
		}
		forgetDrafts()
		location.reload()
	}, [queries])
}
