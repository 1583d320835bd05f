import { Field, Select } from '../../ui/field.tsx'
import { type Connection, vendorNames } from './queries.ts'

interface Props {
	/** Null: by the host of the base URL. */
	value: Connection['priced_as']
	onChange(value: Connection['priced_as']): void
}

/** Whose prices apply to a connection whose API many providers offer. */
export function PricesField({ value, onChange }: Props) {
	return (
		<Field label="Prices" hint="Usually known from the base URL">
			{(field) => (
				<Select
					{...field}
					value={value ?? ''}
					onChange={(event) => onChange((event.target.value || null) as Connection['priced_as'])}
				>
					<option value="">Based on the base URL</option>
					{Object.entries(vendorNames).map(([vendor, label]) => (
						<option key={vendor} value={vendor}>
							{label}
						</option>
					))}
				</Select>
			)}
		</Field>
	)
}
