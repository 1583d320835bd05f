import { Field, Input } from '../../ui/field.tsx'
import type { CallLimits } from './call-limits.ts'

interface CallLimitsFieldsProps {
	value: CallLimits
	/** What is limited, to distinguish several sets of fields. */
	of?: string
	disabled: boolean
	onChange(value: CallLimits): void
}

/** Calls per period and concurrent calls; an empty field means no limit. */
export function CallLimitsFields({ value, of, disabled, onChange }: CallLimitsFieldsProps) {
	const suffix = of ? `: ${of}` : ''
	return (
		<div className="grid grid-cols-2 gap-3">
			<NumberField
				label={`Calls a minute${suffix}`}
				shown="Calls a minute"
				max={1_000_000}
				value={value.calls_per_minute}
				disabled={disabled}
				onChange={(calls_per_minute) => onChange({ ...value, calls_per_minute })}
			/>
			<NumberField
				label={`At a time${suffix}`}
				shown="At a time"
				max={10_000}
				value={value.concurrency}
				disabled={disabled}
				onChange={(concurrency) => onChange({ ...value, concurrency })}
			/>
		</div>
	)
}

interface NumberFieldProps {
	label: string
	shown: string
	value: number | null
	max: number
	disabled: boolean
	onChange(value: number | null): void
}

function NumberField({ label, shown, value, max, disabled, onChange }: NumberFieldProps) {
	return (
		<Field label={shown}>
			{(field) => (
				<Input
					{...field}
					aria-label={label}
					type="number"
					min={1}
					max={max}
					step={1}
					placeholder="no limit"
					disabled={disabled}
					value={value ?? ''}
					onChange={(event) =>
						onChange(event.target.value === '' ? null : Math.max(1, Math.floor(Number(event.target.value))))
					}
					className="tabular-nums"
				/>
			)}
		</Field>
	)
}
