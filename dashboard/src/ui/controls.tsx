import { Checkbox as RadixCheckbox, Switch as RadixSwitch } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import { Icon } from './icons.tsx'

interface ToggleProps {
	checked: boolean
	onChange(checked: boolean): void
	label: string
	disabled?: boolean
}

export function Switch({ checked, onChange, label, disabled }: ToggleProps) {
	return (
		<RadixSwitch.Root
			checked={checked}
			onCheckedChange={onChange}
			aria-label={label}
			disabled={disabled ?? false}
			className="relative h-6 w-10 shrink-0 rounded-full border border-field bg-sunken transition-colors disabled:opacity-55 data-[state=checked]:border-transparent data-[state=checked]:bg-accent"
		>
			<RadixSwitch.Thumb className="block size-4 translate-x-[3px] rounded-full bg-field transition-transform data-[state=checked]:translate-x-[19px] data-[state=checked]:bg-on-accent" />
		</RadixSwitch.Root>
	)
}

/** A check box with its label next to it; the whole line is clickable. */
export function CheckLine({
	checked,
	onChange,
	label,
	disabled,
	children,
}: ToggleProps & { children: ReactNode }) {
	return (
		// biome-ignore lint/a11y/noLabelWithoutControl: Radix renders the control as a button inside
		<label
			className={cn(
				'flex min-h-8 items-start gap-2.5 rounded px-1 py-1.5',
				!disabled && 'cursor-pointer hover:bg-hover',
			)}
		>
			<RadixCheckbox.Root
				checked={checked}
				onCheckedChange={(next) => onChange(next === true)}
				aria-label={label}
				disabled={disabled ?? false}
				className="mt-0.5 grid size-4 shrink-0 place-items-center rounded border border-field bg-surface text-on-accent disabled:opacity-55 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
			>
				<RadixCheckbox.Indicator>
					<Icon name="check" className="size-3 stroke-3" />
				</RadixCheckbox.Indicator>
			</RadixCheckbox.Root>
			<span className="min-w-0 flex-1">{children}</span>
		</label>
	)
}
