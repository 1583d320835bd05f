import type { Schemas } from '../api.ts'
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
	if (total_pages <= 1) return null
	return (
		<nav aria-label="Pages" className="mt-3 flex items-center justify-end gap-2 text-ink-2 tabular-nums">
			<span className="mr-2">
				{(page - 1) * limit + 1}–{Math.min(page * limit, total)} of {total}
			</span>
			<Button small disabled={page <= 1} onClick={() => onChange(page - 1)}>
				Previous
			</Button>
			<Button small disabled={page >= total_pages} onClick={() => onChange(page + 1)}>
				Next
			</Button>
		</nav>
	)
}
