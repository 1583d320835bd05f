import { Field, Textarea } from '../../ui/field.tsx'
import { parseHosts } from './program-texts.ts'

interface HostsFieldProps {
	value: string
	onChange(value: string): void
	disabled?: boolean
}

/** Hosts that a program may reach from its sandbox, one per line. */
export function HostsField({ value, onChange, disabled }: HostsFieldProps) {
	const read = parseHosts(value)
	return (
		<Field
			label="Allowed hosts"
			optional
			hint="One per line: api.example.com, *.example.com, or with a port. Leave empty for no network access."
			error={'wrong' in read ? `${read.wrong} is no host name` : undefined}
		>
			{(field) => (
				<Textarea
					{...field}
					spellCheck={false}
					disabled={disabled}
					value={value}
					onChange={(event) => onChange(event.target.value)}
					className="font-mono text-xs"
				/>
			)}
		</Field>
	)
}
