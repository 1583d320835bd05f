import type { Schemas } from '../../api.ts'
import { Field, Select } from '../../ui/field.tsx'

export type OnDisconnect = Schemas['Key']['on_disconnect']

const policies: readonly { value: OnDisconnect; label: string; text: string }[] = [
	{
		value: 'abort',
		label: 'Cancel upstream',
		text: 'Cheapest; the usage of the call may stay unknown',
	},
	{ value: 'drain', label: 'Drain up to 30 s', text: 'So that its usage is known exactly' },
	{ value: 'detach', label: 'Run to completion', text: 'For work that continues without its client' },
]

interface DisconnectFieldProps {
	value: OnDisconnect
	onChange(value: OnDisconnect): void
}

/** What happens to a model call whose client disconnects. */
export function DisconnectField({ value, onChange }: DisconnectFieldProps) {
	return (
		<Field label="On client disconnect" hint={policies.find((policy) => policy.value === value)?.text}>
			{(field) => (
				<Select {...field} value={value} onChange={(event) => onChange(event.target.value as OnDisconnect)}>
					{policies.map((policy) => (
						<option key={policy.value} value={policy.value}>
							{policy.label}
						</option>
					))}
				</Select>
			)}
		</Field>
	)
}
