import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, type Schemas, unwrap } from '../../api.ts'
import { linkClass } from '../../ui/link.ts'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { CredentialForm, type Credentials } from './credential-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { methodsQuery } from './session.ts'
import { SignInLayout } from './sign-in-layout.tsx'
import { useSignIn } from './use-sign-in.ts'

type Methods = Schemas['SignInMethods']

export function RegisterScreen() {
	const { data: methods, error, refetch } = useQuery(methodsQuery)
	return (
		<SignInLayout
			title="Create an account"
			text={(!methods || methods.signup === 'open') && 'You get a workspace of your own.'}
			below={
				<>
					Have an account?{' '}
					<Link to="/sign-in" className={linkClass}>
						Sign in
					</Link>
				</>
			}
		>
			{methods ? (
				<WaysToRegister methods={methods} />
			) : error ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : (
				<SkeletonRows rows={4} />
			)}
		</SignInLayout>
	)
}

function WaysToRegister({ methods: { signup, password, providers } }: { methods: Methods }) {
	if (signup !== 'open') return <HowToJoin signup={signup} />
	return (
		<>
			{password && <NewAccount />}
			<ProviderButtons providers={providers} next="/getting-started" isSecond={password} />
		</>
	)
}

function NewAccount() {
	const enter = useSignIn(
		(body: Credentials) => unwrap(api.POST('/auth/register', { body })),
		'/getting-started',
	)
	return (
		<CredentialForm
			action="Create account"
			isNew
			busy={enter.isPending}
			error={enter.error}
			onSubmit={enter.mutate}
		/>
	)
}

function HowToJoin({ signup }: { signup: 'invite' | 'closed' }) {
	return (
		<p className="text-ink-2">
			{signup === 'invite'
				? 'People join this instance by invitation. Ask an admin of the workspace that you want to work in to invite your e-mail address; the link that you get makes your account.'
				: 'This instance takes no new accounts. Ask the operator: they decide who may register.'}
		</p>
	)
}
