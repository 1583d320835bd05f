import { Field, Input } from './field.tsx'

interface TextProps {
	value: string
	onChange(value: string): void
}

/** The pattern that is searched in texts. */
export function PatternField({ value, onChange }: TextProps) {
	return (
		<Field label="Pattern" hint="A regular expression of RE2, as EMP-[0-9]{6}">
			{(field) => (
				<Input
					{...field}
					required
					maxLength={500}
					spellCheck={false}
					value={value}
					onChange={(event) => onChange(event.target.value)}
					className="font-mono"
				/>
			)}
		</Field>
	)
}

/** The text that replaces a match. */
export function LabelField({ value, onChange }: TextProps) {
	return (
		<Field label="Label" hint={`What is found becomes [redacted:${value || 'label'}]`}>
			{(field) => (
				<Input
					{...field}
					required
					pattern="[a-z0-9]+(_[a-z0-9]+)*"
					title="Lowercase letters and digits, with _ between them"
					maxLength={40}
					value={value}
					onChange={(event) => onChange(event.target.value)}
					className="font-mono"
				/>
			)}
		</Field>
	)
}
