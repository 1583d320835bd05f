import { Select } from '../../ui/field.tsx'
import { daySpans } from './review-search.ts'

/** From how far back recorded calls are used. */
export function DaysSelect({ days, onChange }: { days: number; onChange(days: number): void }) {
	return (
		<Select
			aria-label="Calls to check"
			className="w-40!"
			value={days}
			onChange={(event) => onChange(Number(event.target.value))}
		>
			{daySpans.map((span) => (
				<option key={span} value={span}>
					{span === 1 ? 'Last 24 hours' : `Last ${span} days`}
				</option>
			))}
		</Select>
	)
}
