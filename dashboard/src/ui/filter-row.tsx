import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import { Select } from './field.tsx'

/** The filters of a list side by side; on a phone two in a row, the first one alone if their number is odd. */
export function FilterRow({ className, children }: { className?: string; children: ReactNode }) {
	return (
		<div
			className={cn(
				'grid grid-cols-2 gap-2 max-sm:w-full max-sm:[&>*]:max-w-none max-sm:[&>:first-child:nth-last-child(odd)]:col-span-2',
				'sm:flex sm:flex-wrap sm:items-center',
				className,
			)}
		>
			{children}
		</div>
	)
}

interface FilterSelectProps {
	label: string
	value: string | undefined
	/** Stands for no filter: `All agents`. */
	all: string
	options: readonly (readonly [value: string, label: string, title?: string])[]
	/** Stands for a value that is not among the options. */
	other?: string | undefined
	className?: string
	/** Gets '' for no filter. */
	onChange(value: string): void
}

/** A filter by one of a few values. */
export function FilterSelect(props: FilterSelectProps) {
	const { label, value = '', all, options, other, className = 'sm:w-40', onChange } = props
	return (
		<Select
			aria-label={label}
			className={className}
			value={value}
			onChange={(event) => onChange(event.target.value)}
		>
			<option value="">{all}</option>
			{options.map(([one, text, title]) => (
				<option key={one} value={one} title={title}>
					{text}
				</option>
			))}
			{other && value && !options.some(([one]) => one === value) && <option value={value}>{other}</option>}
		</Select>
	)
}
