import type { ComponentProps } from 'react'
import { cn } from './cn.ts'
import { Icon, type IconName } from './icons.tsx'

const variants = {
	primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
	secondary: 'bg-surface text-ink border-line hover:bg-hover shadow-xs',
	ghost: 'border-transparent text-ink-2 hover:bg-hover hover:text-ink',
	danger: 'bg-surface text-bad border-line hover:bg-bad-soft shadow-xs',
}

interface ButtonProps extends ComponentProps<'button'> {
	variant?: keyof typeof variants
	small?: boolean
	icon?: IconName
	/** Shows that the action is running, and ignores further clicks. */
	busy?: boolean
}

/** The classes of a button, for links that look like one. */
export function buttonClass(variant: keyof typeof variants = 'secondary', small = false): string {
	return cn(
		'inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors',
		'disabled:opacity-55 disabled:pointer-events-none aria-disabled:opacity-55',
		small ? 'h-7 px-2 text-xs' : 'h-8 px-3',
		variants[variant],
	)
}

export function Button({
	variant = 'secondary',
	small,
	icon,
	busy,
	className,
	children,
	...rest
}: ButtonProps) {
	return (
		<button
			type="button"
			{...rest}
			disabled={busy || rest.disabled}
			aria-busy={busy || undefined}
			className={cn(buttonClass(variant, small), className)}
		>
			{busy ? <Spinner /> : icon && <Icon name={icon} className={small ? 'size-3.5' : undefined} />}
			{children}
		</button>
	)
}

/** A square button with only an icon; `label` is its accessible name. */
export function IconButton({ icon, label, ...rest }: { icon: IconName; label: string } & ButtonProps) {
	return (
		<Button
			variant="ghost"
			{...rest}
			aria-label={label}
			title={label}
			className={cn('w-8 px-0', rest.className)}
		>
			<Icon name={icon} />
		</Button>
	)
}

function Spinner() {
	return (
		<span
			aria-hidden="true"
			className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
		/>
	)
}
