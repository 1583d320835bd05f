import { type ReactNode, useState } from 'react'
import { Field, Textarea } from '../../ui/field.tsx'
import type { GrantChoice } from './queries.ts'

interface PartsFieldsProps {
	choice: GrantChoice
	disabled: boolean
	onChange(choice: GrantChoice): void
}

/** The prompts and resources of a server that are granted besides its tools. */
export function PartsFields({ choice, disabled, onChange }: PartsFieldsProps) {
	return (
		<div className="grid items-start gap-3 sm:grid-cols-2">
			<LinesField
				label="Prompts"
				hint="Names, one per line."
				value={choice.allowed_prompts ?? []}
				disabled={disabled}
				onChange={(allowed_prompts) => onChange({ ...choice, allowed_prompts })}
			/>
			<LinesField
				label="Resources"
				hint={
					<>
						URIs, one per line. <code>*</code> stands for any text, <code>{'{name}'}</code> for text without a
						slash.
					</>
				}
				value={choice.allowed_resources ?? []}
				disabled={disabled}
				onChange={(allowed_resources) => onChange({ ...choice, allowed_resources })}
			/>
		</div>
	)
}

interface LinesFieldProps {
	label: string
	hint: ReactNode
	value: readonly string[]
	disabled: boolean
	onChange(lines: string[]): void
}

/** Keeps the text as it was typed, including empty lines, as long as it has the same meaning as the value. */
function LinesField({ label, hint, value, disabled, onChange }: LinesFieldProps) {
	const [typed, setTyped] = useState('')
	const whole = value.join('\n')
	const text = readLines(typed).join('\n') === whole ? typed : whole
	return (
		<Field label={label} optional hint={hint}>
			{(field) => (
				<Textarea
					{...field}
					rows={3}
					spellCheck={false}
					disabled={disabled}
					value={text}
					onChange={(event) => {
						setTyped(event.target.value)
						onChange(readLines(event.target.value))
					}}
					className="font-mono text-xs"
				/>
			)}
		</Field>
	)
}

/** The lines without duplicates; commas are not separators, because names and URIs may contain them. */
function readLines(text: string): string[] {
	const lines = text.split('\n').map((line) => line.trim())
	return [...new Set(lines)].filter((line) => line !== '')
}
