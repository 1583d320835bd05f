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
			label="Telemetry from"
			hint="For a rule that applies to one service only, give that service its own ingest token"
		>
			{(field) => (
				<Select {...field} value={value} onChange={(event) => onChange(event.target.value)}>
					<option value="">All ingest tokens</option>
					{choices.map(({ id, name }) => (
						<option key={id} value={id}>
							{name}
						</option>
					))}
					{value !== '' && choices.every(({ id }) => id !== value) && <option value={value}>{value}</option>}
				</Select>
			)}
		</Field>
	)
}
