import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { InlineError } from '../../ui/states.tsx'
import { HiddenUsername, NameField, PasswordField } from './entry-fields.tsx'
import { forgetInvitationToken } from './invitation-token.ts'
import { useSignIn } from './use-sign-in.ts'

interface JoinByPasswordProps {
	token: string
	email: string
	/** For a new account; otherwise the password is that of an account without any workspace. */
	isNew: boolean
}

export function JoinByPassword({ token, email, isNew }: JoinByPasswordProps) {
	const [name, setName] = useState('')
	const [password, setPassword] = useState('')
	const join = useSignIn(async () => {
		const body = { token, password, ...(name && { name }) }
		await unwrap(api.POST('/auth/invitations/accept', { body }))
		forgetInvitationToken()
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		join.mutate(undefined)
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			{!isNew && <p className="text-ink-2">You have an account, but no workspace. Join with its password.</p>}
			<HiddenUsername email={email} />
			{isNew && <NameField value={name} onChange={setName} />}
			<PasswordField isNew={isNew} value={password} onChange={setPassword} error={join.error} />
			<Button type="submit" variant="primary" busy={join.isPending}>
				{isNew ? 'Create account and join' : 'Join'}
			</Button>
			{join.error && <InlineError error={join.error} />}
		</form>
	)
}
