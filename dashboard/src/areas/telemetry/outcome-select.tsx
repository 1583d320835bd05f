import { spanStatuses, spanStatusMeanings } from '@signalbox/contract/span-status'
import { Select } from '../../ui/field.tsx'

/** How spans ended; nothing for all outcomes. */
export function OutcomeSelect({
	value,
	onChange,
}: {
	value: string | undefined
	onChange(status: string): void
}) {
	return (
		<Select
			aria-label="Outcome"
			className="w-36!"
			value={value ?? ''}
			onChange={(event) => onChange(event.target.value)}
		>
			<option value="">All outcomes</option>
			{spanStatuses.map((status) => (
				<option key={status} value={status} title={spanStatusMeanings[status]}>
					{status}
				</option>
			))}
		</Select>
	)
}
