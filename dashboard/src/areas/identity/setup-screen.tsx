import { useState } from 'react'
import { api, take } from '../../api.ts'
import { CredentialForm, type Credentials } from './credential-form.tsx'
import { useEnter } from './enter.ts'
import { Entrance } from './entrance.tsx'

/** The secret is in the fragment, which browsers never send; it leaves the address bar at once. */
function takeSecret(): string {
	const secret = location.hash.slice(1)
	if (secret) history.replaceState(history.state, '', location.pathname)
	return secret
}

export function SetupScreen() {
	const [secret] = useState(takeSecret)
	const enter = useEnter(
		(credentials: Credentials) =>
			take(api.POST('/auth/setup', { body: { setup_token: secret, ...credentials } })),
		'/getting-started',
	)
	if (!secret) {
		return (
			<Entrance title="The link is not complete" text="A setup link ends with # and a secret.">
				<p className="text-ink-2">Copy the whole line that the program printed at its start.</p>
			</Entrance>
		)
	}
	return (
		<Entrance title="Set up Signalbox" text="Make the first account. It is the operator of this instance.">
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
