import { type ReactNode, useState } from 'react'
import { cn } from './cn.ts'
import { Icon } from './icons.tsx'

interface DisclosureButtonProps {
	isOpen: boolean
	onToggle(): void
	name: string
	/** At the end of the line: a short summary of the content. */
	children: ReactNode
}

/** The line that opens and closes the content below it. */
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

/** A list entry that can be unfolded: its line, and the content below, which a closed entry does not have: a list may have thousands. */
export function DisclosureEntry({ line, children }: { line: ReactNode; children: ReactNode }) {
	const [isOpen, setOpen] = useState(false)
	return (
		<li className="border-b border-line last:border-0">
			<details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
				<summary className="flex items-start gap-2 px-4 py-2.5 -outline-offset-2 hover:bg-hover">
					<Icon
						name="chevron"
						className="mt-0.5 size-3.5 text-ink-3 transition-transform group-open:rotate-90"
					/>
					{line}
				</summary>
				{isOpen && <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 pb-4 pl-10">{children}</div>}
			</details>
		</li>
	)
}
