import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'

export interface Credentials {
	email: string
	password: string
	name?: string
}

interface CredentialFormProps {
	action: string
	/** A new account: asks for a name, and password managers offer a new password. */
	isNew?: boolean
	busy: boolean
	error: unknown
	onSubmit(credentials: Credentials): void
}

export function CredentialForm({ action, isNew, busy, error, onSubmit }: CredentialFormProps) {
	const [email, setEmail] = useState('')
	const [password, setPassword] = useState('')
	const [name, setName] = useState('')
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSubmit({ email, password, ...(name && { name }) })
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			{isNew && (
				<Field label="Name" optional>
					{(field) => (
						<Input
							{...field}
							autoComplete="name"
							value={name}
							onChange={(event) => setName(event.target.value)}
						/>
					)}
				</Field>
			)}
			<Field label="E-mail" error={fieldError(error, '/email')}>
				{(field) => (
					<Input
						{...field}
						type="email"
						autoComplete="username"
						required
						value={email}
						onChange={(event) => setEmail(event.target.value)}
					/>
				)}
			</Field>
			<Field
				label="Password"
				{...(isNew && { hint: 'At least 8 characters' })}
				error={fieldError(error, '/password')}
			>
				{(field) => (
					<Input
						{...field}
						type="password"
						autoComplete={isNew ? 'new-password' : 'current-password'}
						minLength={isNew ? 8 : 1}
						required
						value={password}
						onChange={(event) => setPassword(event.target.value)}
					/>
				)}
			</Field>
			<Button type="submit" variant="primary" busy={busy}>
				{action}
			</Button>
			{error !== null && <InlineError error={error} />}
		</form>
	)
}

function fieldError(error: unknown, pointer: string): string | undefined {
	return error instanceof ApiError
		? error.fields.find((field) => field.pointer === pointer)?.detail
		: undefined
}
