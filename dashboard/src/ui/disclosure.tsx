import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import { Icon } from './icons.tsx'

interface DisclosureButtonProps {
	isOpen: boolean
	onToggle(): void
	name: string
	/** At the end of the line: what is inside, in a few words. */
	children: ReactNode
}

/** The line that opens and closes what is below it. */
export function DisclosureButton({ isOpen, onToggle, name, children }: DisclosureButtonProps) {
	return (
		<button
			type="button"
			aria-expanded={isOpen}
			onClick={onToggle}
			className="flex min-h-12 min-w-0 flex-1 items-center gap-3 rounded-xl py-2 pr-2 pl-4 text-left -outline-offset-2 hover:bg-hover"
		>
			<Icon
				name="chevron"
				className={cn('size-3.5 text-ink-3 transition-transform', isOpen && 'rotate-90')}
			/>
			<span className="min-w-24 flex-1 truncate font-medium">{name}</span>
			{children}
		</button>
	)
}
