import { memo, type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react'

interface RowChunksProps<T> {
	rows: readonly T[]
	/** Number of columns in the table. */
	columns: number
	row(item: T): ReactNode
	/** Estimated row height until a row has been measured. */
	rowPx?: number
}

/** Small enough that the next chunk is rendered within a frame of scrolling. */
const chunkRows = 10
const defaultRowPx = 44
/** How far beyond the window rows are kept rendered. */
const marginPx = 800

/**
 * The body of a table of any length, of which only the rows around the window are rendered. Other chunks are replaced by empty space
 * of the height that they had when last rendered.
 */
export function RowChunks<T>({ rows, columns, row, rowPx = defaultRowPx }: RowChunksProps<T>) {
	const start = useRef<HTMLTableSectionElement>(null)
	const measured = useRef(new Map<number, number>())
	const count = Math.ceil(rows.length / chunkRows)
	const heightOf = (chunk: number) =>
		measured.current.get(chunk) ?? Math.min(chunkRows, rows.length - chunk * chunkRows) * rowPx
	const [near, setNear] = useState({ from: 0, end: 5 })
	const update = useRef(() => {})
	update.current = () => {
		const top = start.current?.getBoundingClientRect().top
		if (top === undefined) return
		let bottom = top
		let from = 0
		while (from < count - 1 && bottom + heightOf(from) < -marginPx) bottom += heightOf(from++)
		let end = from
		while (end < count && bottom < window.innerHeight + marginPx) bottom += heightOf(end++)
		end = Math.max(end, from + 1)
		setNear((now) => (now.from === from && now.end === end ? now : { from, end }))
	}
	useLayoutEffect(() => {
		const onScroll = () => update.current()
		// Whichever part of the page scrolls, or grows above the table.
		document.addEventListener('scroll', onScroll, { capture: true, passive: true })
		window.addEventListener('resize', onScroll)
		const observer = new ResizeObserver(onScroll)
		observer.observe(document.body)
		return () => {
			window.removeEventListener('resize', onScroll)
			document.removeEventListener('scroll', onScroll, { capture: true })
			observer.disconnect()
		}
	}, [])
	const measure = useCallback((chunk: number, heightPx: number) => {
		if (heightPx > 0) measured.current.set(chunk, heightPx)
	}, [])
	const end = Math.min(near.end, count)
	const from = Math.min(near.from, Math.max(0, end - 1))
	const sum = (first: number, after: number) => {
		let px = 0
		for (let chunk = first; chunk < after; chunk++) px += heightOf(chunk)
		return px
	}
	const chunks = Array.from({ length: end - from }, (_, at) => from + at)
	return (
		<>
			<Space place={start} columns={columns} px={sum(0, from)} />
			{chunks.map((chunk) => (
				<Chunk
					key={chunk}
					at={chunk}
					rows={rows}
					row={row as (item: unknown) => ReactNode}
					onMeasure={measure}
				/>
			))}
			<Space columns={columns} px={sum(end, count)} />
		</>
	)
}

function Space({
	columns,
	px,
	place,
}: {
	columns: number
	px: number
	place?: React.Ref<HTMLTableSectionElement>
}) {
	if (px === 0 && !place) return null
	// After a jump into the space, the browser would keep it in view while rows are inserted above it, and end far below.
	return (
		<tbody ref={place} className="[overflow-anchor:none]">
			{px > 0 && (
				<tr>
					<td colSpan={columns} style={{ height: px }} />
				</tr>
			)}
		</tbody>
	)
}

interface ChunkProps {
	at: number
	rows: readonly unknown[]
	row(item: unknown): ReactNode
	onMeasure(chunk: number, heightPx: number): void
}

/** Rendered again only when its rows change, not when the window moves. */
const Chunk = memo(function Chunk({ at, rows, row, onMeasure }: ChunkProps) {
	const place = useRef<HTMLTableSectionElement>(null)
	useLayoutEffect(() => {
		const body = place.current
		if (!body) return
		// The height changes, because a row may be unfolded.
		const observer = new ResizeObserver(() => onMeasure(at, body.getBoundingClientRect().height))
		observer.observe(body)
		return () => observer.disconnect()
	}, [at, onMeasure])
	return <tbody ref={place}>{rows.slice(at * chunkRows, (at + 1) * chunkRows).map(row)}</tbody>
})
