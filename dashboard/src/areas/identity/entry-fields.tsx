import { ApiError } from '../../api.ts'
import { Field, Input } from '../../ui/field.tsx'

interface EntryProps {
	value: string
	onChange(value: string): void
	/** The failure of the form; the part about this field is shown here. */
	error?: unknown
}

export function NameField({ value, onChange }: EntryProps) {
	return (
		<Field label="Name" optional>
			{(field) => (
				<Input
					{...field}
					autoComplete="name"
					maxLength={100}
					value={value}
					onChange={(event) => onChange(event.target.value)}
				/>
			)}
		</Field>
	)
}

export function EmailField({
	value,
	onChange,
	error,
	of = 'oneself',
}: EntryProps & { of?: 'oneself' | 'somebody' }) {
	return (
		<Field label="E-mail" error={fieldError(error, '/email')}>
			{(field) => (
				<Input
					{...field}
					type="email"
					autoComplete={of === 'oneself' ? 'username' : 'off'}
					required
					value={value}
					onChange={(event) => onChange(event.target.value)}
				/>
			)}
		</Field>
	)
}

interface PasswordFieldProps extends EntryProps {
	label?: string
	/** Makes password managers offer a new one. */
	isNew?: boolean
	pointer?: string
}

export function PasswordField({
	label = 'Password',
	isNew,
	pointer = '/password',
	value,
	onChange,
	error,
}: PasswordFieldProps) {
	return (
		<Field label={label} {...(isNew && { hint: 'At least 8 characters' })} error={fieldError(error, pointer)}>
			{(field) => (
				<Input
					{...field}
					type="password"
					autoComplete={isNew ? 'new-password' : 'current-password'}
					minLength={isNew ? 8 : 1}
					required
					value={value}
					onChange={(event) => onChange(event.target.value)}
				/>
			)}
		</Field>
	)
}

/** Tells password managers whose password the form is about. */
export function HiddenUsername({ email }: { email: string }) {
	return <input type="text" autoComplete="username" value={email} readOnly hidden />
}

function fieldError(error: unknown, pointer: string): string | undefined {
	return error instanceof ApiError
		? error.fields.find((field) => field.pointer === pointer)?.detail
		: undefined
}
