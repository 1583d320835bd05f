import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, type Schemas, unwrap } from '../../api.ts'
import { linkClass } from '../../ui/link.ts'
import { Notice } from '../../ui/notice.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { CredentialForm, type Credentials } from './credential-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { methodsQuery } from './session.ts'
import { SignInFailure } from './sign-in-failure.tsx'
import { SignInLayout } from './sign-in-layout.tsx'
import { useSignIn } from './use-sign-in.ts'

const route = getRouteApi('/sign-in')

export function SignInScreen() {
	const { error: failure } = route.useSearch()
	const { data: methods, error, refetch } = useQuery(methodsQuery)
	if (methods?.setup_required) return <NotSetUp />
	return (
		<SignInLayout title="Sign in" below={methods?.signup === 'open' && <NewHere />}>
			{failure !== undefined && <SignInFailure code={failure} />}
			{methods ? (
				<WaysIn methods={methods} />
			) : error ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : (
				<SkeletonRows rows={4} />
			)}
		</SignInLayout>
	)
}

function WaysIn({ methods: { password, providers } }: { methods: Schemas['SignInMethods'] }) {
	const { next } = route.useSearch()
	if (!password && providers.length === 0) {
		return (
			<Notice tone="warn" title="Nobody can sign in here">
				Passwords are off and no provider is set up. Whoever runs this instance starts it once with
				SIGNALBOX_PASSWORD_LOGIN=on.
			</Notice>
		)
	}
	return (
		<>
			{password && <PasswordSignIn next={next} />}
			<ProviderButtons providers={providers} next={next} isSecond={password} />
		</>
	)
}

function PasswordSignIn({ next }: { next: string | undefined }) {
	const enter = useSignIn(
		({ email, password }: Credentials) => unwrap(api.POST('/auth/login', { body: { email, password } })),
		next,
	)
	return (
		<>
			<CredentialForm action="Sign in" busy={enter.isPending} error={enter.error} onSubmit={enter.mutate} />
			<p className="mt-3 text-center">
				<Link to="/forgot" className={linkClass}>
					Forgot your password?
				</Link>
			</p>
		</>
	)
}

function NewHere() {
	return (
		<>
			New here?{' '}
			<Link to="/register" className={linkClass}>
				Create an account
			</Link>
		</>
	)
}

function NotSetUp() {
	return (
		<SignInLayout title="Not set up yet" text="This instance has no operator.">
			<p className="text-ink-2">
				Open the one-time setup link that the program printed when it started. It is valid for 15 minutes;
				restart the program to get a new one.
			</p>
		</SignInLayout>
	)
}
