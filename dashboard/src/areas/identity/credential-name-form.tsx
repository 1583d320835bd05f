import { type FormEvent, type ReactNode, useState } from 'react'
import { serverNowMs } from '../../lib/clock.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { InlineError } from '../../ui/states.tsx'
import { expiries, toExpiry } from './expiry.ts'

interface CredentialNameFormProps {
	action: string
	placeholder: string
	busy: boolean
	error: unknown
	onSubmit(input: { name: string; expires_at: string | null }): void
	onCancel(): void
	children?: ReactNode
}

/** Name and expiry of a new key or token. */
export function CredentialNameForm({
	action,
	placeholder,
	busy,
	error,
	onSubmit,
	onCancel,
	children,
}: CredentialNameFormProps) {
	const [name, setName] = useState('')
	const [days, setDays] = useState('')
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSubmit({ name: name.trim(), expires_at: toExpiry(days, serverNowMs()) })
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<NameField hint="Where it is used" placeholder={placeholder} value={name} onChange={setName} />
			<Field label="Expires">
				{(field) => (
					<Select {...field} value={days} onChange={(event) => setDays(event.target.value)}>
						{expiries.map(({ value, label }) => (
							<option key={value} value={value}>
								{label}
							</option>
						))}
					</Select>
				)}
			</Field>
			{children}
			{error !== null && <InlineError error={error} />}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={busy} disabled={name.trim() === ''}>
					{action}
				</Button>
			</DialogActions>
		</form>
	)
}
