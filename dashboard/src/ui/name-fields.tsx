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
			<Field label="Name" hint={hint}>
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
			<DescriptionField
				value={value.description}
				onChange={(description) => onChange({ ...value, description })}
				disabled={disabled}
			/>
		</>
	)
}

interface DescriptionFieldProps {
	value: string
	onChange(value: string): void
	disabled?: boolean
}

export function DescriptionField({ value, onChange, disabled = false }: DescriptionFieldProps) {
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
