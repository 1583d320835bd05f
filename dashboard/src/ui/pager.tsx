import type { Schemas } from '../api.ts'
import { formatCount } from '../lib/format.ts'
import { Button } from './button.tsx'

/** Buttons for the previous and the next page of a list; nothing if there is only one page. */
export function Pager({
	pagination,
	onChange,
}: {
	pagination: Schemas['Pagination']
	onChange(page: number): void
}) {
	const { page, total, total_pages, limit } = pagination
	const last = Math.max(1, total_pages)
	if (page <= last && last === 1) return null
	const shown = `${formatCount((page - 1) * limit + 1)}–${formatCount(Math.min(page * limit, total))}`
	return (
		<nav aria-label="Pages" className="mt-3 flex items-center justify-end gap-2 text-ink-2 tabular-nums">
			<span className="mr-2">
				{page > last ? `Page ${formatCount(page)}` : shown} of {formatCount(page > last ? last : total)}
			</span>
			<Button small disabled={page <= 1} onClick={() => onChange(Math.min(page - 1, last))}>
				Previous
			</Button>
			<Button small disabled={page >= last} onClick={() => onChange(page + 1)}>
				Next
			</Button>
		</nav>
	)
}
