import type { ReactNode } from 'react'
import { Field, Select } from './field.tsx'

interface ChoiceFieldProps<T extends string> {
	label: string
	hint?: ReactNode
	disabled?: boolean
	value: T
	/** The choices with their labels, in order. */
	choices: Readonly<Record<T, string>>
	onChange(value: T): void
}

/** One of a few labelled choices. */
export function ChoiceField<T extends string>({
	label,
	hint,
	disabled = false,
	value,
	choices,
	onChange,
}: ChoiceFieldProps<T>) {
	return (
		<Field label={label} hint={hint}>
			{(field) => (
				<Select
					{...field}
					disabled={disabled}
					value={value}
					onChange={(event) => onChange(event.target.value as T)}
				>
					{Object.entries<string>(choices).map(([choice, words]) => (
						<option key={choice} value={choice}>
							{words}
						</option>
					))}
				</Select>
			)}
		</Field>
	)
}
