import { Field, Input } from './field.tsx'

export interface Named {
	name: string
	description: string
}

interface NameFieldsProps {
	value: Named
	onChange(value: Named): void
	disabled?: boolean
	hint?: string
	nameError?: string | undefined
}

/** Name and description, which every managed object has. */
export function NameFields({ value, onChange, disabled = false, hint, nameError }: NameFieldsProps) {
	return (
		<>
			<Field label="Name" hint={hint} error={nameError}>
				{(field) => (
					<Input
						{...field}
						required
						maxLength={100}
						disabled={disabled}
						value={value.name}
						onChange={(event) => onChange({ ...value, name: event.target.value })}
					/>
				)}
			</Field>
			<Field label="Description" optional>
				{(field) => (
					<Input
						{...field}
						maxLength={500}
						disabled={disabled}
						value={value.description}
						onChange={(event) => onChange({ ...value, description: event.target.value })}
					/>
				)}
			</Field>
		</>
	)
}
