import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, take } from '../../api.ts'
import { CredentialForm, type Credentials } from './credential-form.tsx'
import { useEnter } from './enter.ts'
import { Entrance } from './entrance.tsx'
import { methodsQuery } from './session.ts'

const route = getRouteApi('/sign-in')

export function SignInScreen() {
	const { next } = route.useSearch()
	const { data: methods } = useQuery(methodsQuery)
	const enter = useEnter(
		({ email, password }: Credentials) => take(api.POST('/auth/login', { body: { email, password } })),
		next,
	)
	if (methods?.setup_required) {
		return (
			<Entrance title="Not set up yet" text="This instance has no operator.">
				<p className="text-ink-2">
					Open the one-time setup link that the program printed at its start. It holds for 15 minutes; start
					the program again for a new one.
				</p>
			</Entrance>
		)
	}
	return (
		<Entrance
			title="Sign in"
			below={
				methods?.signup === 'open' && (
					<>
						New here?{' '}
						<Link to="/register" className="font-medium text-accent underline underline-offset-2">
							Create an account
						</Link>
					</>
				)
			}
		>
			<CredentialForm action="Sign in" busy={enter.isPending} error={enter.error} onSubmit={enter.mutate} />
		</Entrance>
	)
}
