import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'

interface RowChunksProps<T> {
	rows: readonly T[]
	/** How many columns the table has. */
	columns: number
	row(item: T): ReactNode
	/** Until a row was measured. */
	rowPx?: number
}

const chunkRows = 100
const usualRowPx = 44
/** How far beyond the window rows are kept. */
const margin = '1500px 0px'

/** The body of a table of any length: only the rows around the window are in the page, in bodies of a hundred rows. */
export function RowChunks<T>({ rows, columns, row, rowPx }: RowChunksProps<T>) {
	const chunks = useMemo(
		() =>
			Array.from({ length: Math.ceil(rows.length / chunkRows) }, (_, at) =>
				rows.slice(at * chunkRows, (at + 1) * chunkRows),
			),
		[rows],
	)
	return chunks.map((chunk, at) => (
		// biome-ignore lint/suspicious/noArrayIndexKey: a chunk is a place in the list, whatever is in it
		<Chunk key={at} isFirst={at === 0} rows={chunk} columns={columns} row={row} {...(rowPx && { rowPx })} />
	))
}

function Chunk<T>({
	rows,
	columns,
	row,
	isFirst,
	rowPx = usualRowPx,
}: RowChunksProps<T> & { isFirst: boolean }) {
	const place = useRef<HTMLTableSectionElement>(null)
	const heightPx = useRef(rows.length * rowPx)
	const [isNear, setNear] = useState(isFirst)
	useEffect(() => {
		const body = place.current
		if (!body) return
		const observer = new IntersectionObserver(
			([entry]) => {
				if (!entry) return
				// What leaves is stood in for by its height, so that nothing in sight moves.
				if (!entry.isIntersecting) heightPx.current = entry.boundingClientRect.height
				setNear(entry.isIntersecting)
			},
			{ rootMargin: margin },
		)
		observer.observe(body)
		return () => observer.disconnect()
	}, [])
	return (
		<tbody ref={place}>
			{isNear ? (
				rows.map(row)
			) : (
				<tr>
					<td colSpan={columns} style={{ height: heightPx.current }} />
				</tr>
			)}
		</tbody>
	)
}
