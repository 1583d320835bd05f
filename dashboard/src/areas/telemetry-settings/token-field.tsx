import { useQuery } from '@tanstack/react-query'
import { Field, Select } from '../../ui/field.tsx'
import { tokenNamesQuery } from '../identity/credential-names.ts'

interface TokenFieldProps {
	/** Id of an ingest token; empty for all. */
	value: string
	onChange(id: string): void
}

/** The ingest token to whose telemetry a rule applies. */
export function TokenField({ value, onChange }: TokenFieldProps) {
	const { data } = useQuery(tokenNamesQuery)
	const known = data?.ingest_tokens ?? []
	const choices = known.filter(({ id, status }) => status === 'active' || id === value)
	return (
		<Field
			label="Whose telemetry"
			hint="A service that tells more than others gets an ingest token of its own"
		>
			{(field) => (
				<Select {...field} value={value} onChange={(event) => onChange(event.target.value)}>
					<option value="">Everything that the workspace receives</option>
					{choices.map(({ id, name }) => (
						<option key={id} value={id}>
							What {name} brings
						</option>
					))}
					{value !== '' && choices.every(({ id }) => id !== value) && <option value={value}>{value}</option>}
				</Select>
			)}
		</Field>
	)
}
