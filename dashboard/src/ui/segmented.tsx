import { useId } from 'react'

interface SegmentedProps<T extends string> {
	label: string
	value: T
	options: readonly { value: T; label: string }[]
	onChange(value: T): void
	disabled?: boolean
}

/** One of a few visible choices, implemented as radio buttons. */
export function Segmented<T extends string>({
	label,
	value,
	options,
	onChange,
	disabled,
}: SegmentedProps<T>) {
	// A unique name, because two groups with the same name on a page would share their choice.
	const name = useId()
	return (
		<fieldset
			disabled={disabled}
			className="inline-flex flex-wrap justify-self-start rounded-md border border-line bg-sunken p-0.5 disabled:opacity-60"
		>
			<legend className="sr-only">{label}</legend>
			{options.map((option) => (
				<label
					key={option.value}
					className="relative flex h-6.5 cursor-pointer items-center rounded px-2.5 text-xs font-medium text-ink-2 has-checked:bg-surface dark:has-checked:bg-idle-soft has-checked:text-ink has-checked:shadow-xs has-focus-visible:outline-2 has-focus-visible:outline-accent"
				>
					<input
						type="radio"
						name={name}
						checked={value === option.value}
						onChange={() => onChange(option.value)}
						className="absolute inset-0 cursor-pointer appearance-none outline-none"
					/>
					{option.label}
				</label>
			))}
		</fieldset>
	)
}
