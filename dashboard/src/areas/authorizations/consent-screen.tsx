import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { meQuery } from '../identity/session.ts'
import { SignInLayout } from '../identity/sign-in-layout.tsx'
import { useLinkSecret } from '../identity/use-link-secret.ts'
import { takeAskedRequest } from './asked-request.ts'
import { ConsentForm } from './consent-form.tsx'

/** Which client wants to act here, what may it do, and as which agent? */
export function ConsentScreen() {
	const request = useLinkSecret(takeAskedRequest)
	const { data: me, isPending } = useQuery(meQuery)
	if (isPending)
		return (
			<SignInLayout title="Connect a client">
				<SkeletonRows rows={3} />
			</SignInLayout>
		)
	if (!me) return <SignInFirst />
	return <Asked request={request} />
}

function SignInFirst() {
	return (
		<SignInLayout
			title="Connect a client"
			text="A client wants to use Signalbox for you. Sign in to see what it asks for."
		>
			<Link to="/sign-in" search={{ next: '/authorize' }} className={cn(buttonClass('primary'), 'w-full')}>
				Sign in
			</Link>
		</SignInLayout>
	)
}

function Asked({ request }: { request: string }) {
	const { data, error, refetch } = useQuery({
		queryKey: ['consent', request],
		queryFn: () => unwrap(api.POST('/v1/authorizations/consent', { body: { request } })),
		enabled: request !== '',
		retry: false,
		staleTime: Number.POSITIVE_INFINITY,
	})
	if (data) return <ConsentForm request={request} consent={data} />
	return (
		<SignInLayout title="Connect a client">
			{!request ? (
				<p className="text-ink-2">
					No authorization request. Start from the client that you want to connect.
				</p>
			) : error ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : (
				<SkeletonRows rows={4} />
			)}
		</SignInLayout>
	)
}
