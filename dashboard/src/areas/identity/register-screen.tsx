import { Link } from '@tanstack/react-router'
import { api, take } from '../../api.ts'
import { CredentialForm, type Credentials } from './credential-form.tsx'
import { useEnter } from './enter.ts'
import { Entrance } from './entrance.tsx'

export function RegisterScreen() {
	const enter = useEnter(
		(body: Credentials) => take(api.POST('/auth/register', { body })),
		'/getting-started',
	)
	return (
		<Entrance
			title="Create an account"
			text="You get a workspace of your own."
			below={
				<>
					Have an account?{' '}
					<Link to="/sign-in" className="font-medium text-accent underline underline-offset-2">
						Sign in
					</Link>
				</>
			}
		>
			<CredentialForm
				action="Create account"
				isNew
				busy={enter.isPending}
				error={enter.error}
				onSubmit={enter.mutate}
			/>
		</Entrance>
	)
}
