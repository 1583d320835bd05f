import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import { Icon } from './icons.tsx'
import { Th } from './table.tsx'

/** The header of a column of figures; a click sorts by it in descending order. */
export function SortHeader({
	isSorted,
	onSort,
	children,
}: {
	isSorted: boolean
	onSort(): void
	children: ReactNode
}) {
	return (
		<Th right aria-sort={isSorted ? 'descending' : 'none'}>
			<button
				type="button"
				onClick={onSort}
				className={cn(
					'inline-flex min-h-6 items-center gap-1 rounded hover:text-ink',
					isSorted && 'font-semibold text-ink',
				)}
			>
				{children}
				{isSorted && <Icon name="down" className="size-3" />}
			</button>
		</Th>
	)
}
