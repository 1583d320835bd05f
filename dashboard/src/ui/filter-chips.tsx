import { Icon } from './icons.tsx'

interface FilterChipsProps {
	label?: string
	chips: readonly { name: string; text: string; onRemove(): void }[]
}

/** The active conditions, each with a button that removes it. */
export function FilterChips({ label = 'Filters', chips }: FilterChipsProps) {
	if (chips.length === 0) return null
	return (
		<ul aria-label={label} className="flex flex-wrap items-center gap-1.5">
			{chips.map(({ name, text, onRemove }) => (
				<li
					key={`${name} ${text}`}
					className="flex h-7 max-w-full items-center gap-1 rounded-full border border-line bg-surface pl-2.5 text-xs"
				>
					<span className="text-ink-3">{name}</span>
					<span className="max-w-56 truncate font-medium">{text}</span>
					<button
						type="button"
						aria-label={`Remove ${label === 'Filters' ? 'filter' : 'group'} ${name} ${text}`}
						onClick={onRemove}
						className="grid size-6.5 place-items-center rounded-full text-ink-3 hover:bg-hover hover:text-ink"
					>
						<Icon name="close" className="size-3" />
					</button>
				</li>
			))}
		</ul>
	)
}
