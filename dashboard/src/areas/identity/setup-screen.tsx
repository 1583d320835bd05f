import { api, take } from '../../api.ts'
import { BrokenLink } from './broken-link.tsx'
import { CredentialForm, type Credentials } from './credential-form.tsx'
import { useEnter } from './enter.ts'
import { Entrance } from './entrance.tsx'
import { useLinkSecret } from './use-link-secret.ts'

export function SetupScreen() {
	const secret = useLinkSecret()
	const enter = useEnter(
		(credentials: Credentials) =>
			take(api.POST('/auth/setup', { body: { setup_token: secret, ...credentials } })),
		'/getting-started',
	)
	if (!secret) return <BrokenLink kind="setup" />
	return (
		<Entrance title="Set up Signalbox" text="Create the admin account. It is the operator of this instance.">
			<CredentialForm
				action="Create operator"
				isNew
				busy={enter.isPending}
				error={enter.error}
				onSubmit={enter.mutate}
			/>
		</Entrance>
	)
}
