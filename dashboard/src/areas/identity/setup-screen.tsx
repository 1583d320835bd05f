import { api, unwrap } from '../../api.ts'
import { BrokenLink } from './broken-link.tsx'
import { CredentialForm, type Credentials } from './credential-form.tsx'
import { SignInLayout } from './sign-in-layout.tsx'
import { useLinkSecret } from './use-link-secret.ts'
import { useSignIn } from './use-sign-in.ts'

export function SetupScreen() {
	const secret = useLinkSecret()
	const enter = useSignIn(
		(credentials: Credentials) =>
			unwrap(api.POST('/auth/setup', { body: { setup_token: secret, ...credentials } })),
		'/getting-started',
	)
	if (!secret) return <BrokenLink kind="setup" />
	return (
		<SignInLayout
			title="Set up Signalbox"
			text="Create the admin account. It is the operator of this instance."
		>
			<CredentialForm
				action="Create admin account"
				isNew
				busy={enter.isPending}
				error={enter.error}
				onSubmit={enter.mutate}
			/>
		</SignInLayout>
	)
}
