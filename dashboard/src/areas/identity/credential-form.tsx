import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { InlineError } from '../../ui/states.tsx'
import { EmailField, NameField, PasswordField } from './entry-fields.tsx'

export interface Credentials {
	email: string
	password: string
	name?: string
}

interface CredentialFormProps {
	action: string
	/** For a new account: asks for a name, and makes password managers offer a new password. */
	isNew?: boolean
	busy: boolean
	error: unknown
	onSubmit(credentials: Credentials): void
}

export function CredentialForm({ action, isNew = false, busy, error, onSubmit }: CredentialFormProps) {
	const [email, setEmail] = useState('')
	const [password, setPassword] = useState('')
	const [name, setName] = useState('')
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSubmit({ email, password, ...(name && { name }) })
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			{isNew && <NameField value={name} onChange={setName} />}
			<EmailField value={email} onChange={setEmail} error={error} />
			<PasswordField isNew={isNew} value={password} onChange={setPassword} error={error} />
			<Button type="submit" variant="primary" busy={busy}>
				{action}
			</Button>
			{error !== null && <InlineError error={error} />}
		</form>
	)
}
