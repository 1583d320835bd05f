import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, type Schemas, unwrap } from '../../api.ts'
import { linkClass } from '../../ui/link.ts'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { BrokenLink } from './broken-link.tsx'
import { takeInvitationToken } from './invitation-token.ts'
import { JoinByPassword } from './join-by-password.tsx'
import { JoinSignedIn } from './join-signed-in.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { methodsQuery } from './session.ts'
import { SignInLayout } from './sign-in-layout.tsx'
import { useLinkSecret } from './use-link-secret.ts'

type Preview = Schemas['InvitationPreview']

/** What an invitation is for, and the way in which this person can accept it. */
export function InvitationScreen() {
	const token = useLinkSecret(takeInvitationToken)
	const { data, error, refetch } = useQuery({
		queryKey: ['invitation', token],
		queryFn: () => unwrap(api.POST('/auth/invitations/preview', { body: { token } })),
		enabled: token !== '',
		staleTime: Number.POSITIVE_INFINITY,
	})
	if (!token) return <BrokenLink kind="invitation" />
	if (!data) {
		return (
			<SignInLayout
				title="Invitation"
				below={
					<Link to="/sign-in" className={linkClass}>
						Go to sign in
					</Link>
				}
			>
				{error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={4} />}
			</SignInLayout>
		)
	}
	return <Invited token={token} preview={data} />
}

function Invited({ token, preview }: { token: string; preview: Preview }) {
	const { workspace, email, role, needs } = preview
	return (
		<SignInLayout
			title={`Join ${workspace.name}`}
			text={
				<>
					<strong className="font-medium break-words text-ink">{email}</strong> is invited as {role}.
				</>
			}
		>
			{needs === 'session' ? (
				<JoinSignedIn token={token} preview={preview} />
			) : (
				<NewcomerWays token={token} preview={preview} />
			)}
		</SignInLayout>
	)
}

function NewcomerWays({ token, preview }: { token: string; preview: Preview }) {
	const { data: methods } = useQuery(methodsQuery)
	if (!methods) return <SkeletonRows rows={3} />
	const isNew = preview.needs === 'new_password'
	return (
		<>
			{methods.password ? (
				<JoinByPassword token={token} email={preview.email} isNew={isNew} />
			) : (
				<p className="mb-4 text-ink-2">
					This instance takes no passwords. Continue with an account that has this e-mail address.
				</p>
			)}
			{isNew && <ProviderButtons providers={methods.providers} isSecond={methods.password} />}
		</>
	)
}
