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
}

/** Name and description, which every managed object has. */
export function NameFields({ value, onChange, disabled = false, hint }: NameFieldsProps) {
	return (
		<>
			<NameField
				hint={hint}
				disabled={disabled}
				value={value.name}
				onChange={(name) => onChange({ ...value, name })}
			/>
			<DescriptionField
				value={value.description}
				onChange={(description) => onChange({ ...value, description })}
				disabled={disabled}
			/>
		</>
	)
}

interface TextProps {
	value: string
	onChange(value: string): void
	disabled?: boolean
}

interface NameFieldProps extends TextProps {
	hint?: string | undefined
	placeholder?: string
}

/** The name of an object. */
export function NameField({ hint, onChange, ...input }: NameFieldProps) {
	return (
		<Field label="Name" hint={hint}>
			{(field) => (
				<Input
					{...field}
					{...input}
					required
					maxLength={100}
					onChange={(event) => onChange(event.target.value)}
				/>
			)}
		</Field>
	)
}

export function DescriptionField({ value, onChange, disabled = false }: TextProps) {
	return (
		<Field label="Description" optional>
			{(field) => (
				<Input
					{...field}
					maxLength={500}
					disabled={disabled}
					value={value}
					onChange={(event) => onChange(event.target.value)}
				/>
			)}
		</Field>
	)
}
