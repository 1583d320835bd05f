import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, type Schemas, unwrap } from '../../api.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { forgetInvitationToken } from './invitation-token.ts'
import { meQuery } from './session.ts'
import { useSignIn } from './use-sign-in.ts'

type Preview = Schemas['InvitationPreview']

/** A person with an account joins with that account. */
export function JoinSignedIn({ token, preview }: { token: string; preview: Preview }) {
	const { data: me, isPending } = useQuery(meQuery)
	if (isPending) return <SkeletonRows rows={2} />
	if (!me) {
		return (
			<>
				<p className="mb-4 text-ink-2">You already have an account. Sign in to return to this page.</p>
				<Link to="/sign-in" search={{ next: '/invitation' }} className={cn(buttonClass('primary'), 'w-full')}>
					Sign in
				</Link>
			</>
		)
	}
	return me.user.email === preview.email ? (
		<JoinNow token={token} preview={preview} />
	) : (
		<OtherPerson email={me.user.email} />
	)
}

function JoinNow({ token, preview }: { token: string; preview: Preview }) {
	const join = useSignIn(async () => {
		await unwrap(api.POST('/auth/invitations/accept', { body: { token } }))
		forgetInvitationToken()
	})
	return (
		<>
			<Button
				variant="primary"
				className="w-full"
				busy={join.isPending}
				onClick={() => join.mutate(undefined)}
			>
				Join {preview.workspace.name}
			</Button>
			{join.error && <InlineError error={join.error} />}
		</>
	)
}

function OtherPerson({ email }: { email: string }) {
	const queries = useQueryClient()
	const signOut = async () => {
		await api.POST('/auth/logout')
		await queries.resetQueries({ queryKey: meQuery.queryKey })
	}
	return (
		<>
			<p className="mb-4 text-ink-2">
				You are signed in as {email}. The invitation is for another address: sign out, and sign in with that
				one.
			</p>
			<div className="grid gap-2">
				<Button variant="primary" onClick={() => void signOut()}>
					Sign out
				</Button>
				<Link to="/" className={buttonClass()}>
					Stay signed in
				</Link>
			</div>
		</>
	)
}
