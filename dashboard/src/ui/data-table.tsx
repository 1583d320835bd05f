import { Link, type LinkProps, useNavigate } from '@tanstack/react-router'
import {
	type DragEvent,
	type KeyboardEvent,
	lazy,
	type MouseEvent,
	type PointerEvent,
	type ReactNode,
	Suspense,
	useEffect,
	useRef,
	useState,
} from 'react'
import { formatDateTime } from '../lib/format.ts'
import { changeColumn, moveColumn, type Placed, shownColumns, type TableView } from '../lib/table-view.ts'
import { useKeys } from '../lib/use-keys.ts'
import { Button, buttonClass } from './button.tsx'
import { cn } from './cn.ts'
import { Icon } from './icons.tsx'
import { RowChunks } from './row-chunks.tsx'
import { Row, Table, Td, Th } from './table.tsx'

const ViewDialog = lazy(async () => ({ default: (await import('./table-view-dialog.tsx')).ViewDialog }))

export interface Column<T> {
	key: string
	label: string
	/** The cell as people read it. */
	show(row: T): ReactNode
	/** The value in a file: plain, numbers with a decimal point and without separators. */
	value(row: T): string | number | null
	/** The sort order when its header is clicked; absent: it cannot be sorted. */
	sort?: string
	isNumber?: true
	/** Hidden until it is chosen. */
	extra?: true
	/** The class of its cells. */
	className?: string
}

interface DataTableProps<T> {
	label: string
	columns: readonly Column<T>[]
	rows: readonly T[]
	keyOf(row: T): string
	view?: TableView
	/** Absent: the view cannot be changed. */
	onView?: (view: TableView) => void
	/** The link of a row. */
	linkOf?: (row: T) => LinkProps
	/** The link that compares two chosen rows. */
	compareOf?: (one: T, other: T) => LinkProps
	rowClass?: (row: T) => string | false
}

/** A list of any length with the chosen columns in their order and width; only visible rows are rendered. */
export function DataTable<T>(props: DataTableProps<T>) {
	const { label, columns, rows, keyOf, view = {}, onView, linkOf, compareOf, rowClass } = props
	const visible = shownColumns(columns, view)
	const place = useRef<HTMLDivElement>(null)
	const [picked, setPicked] = useState<readonly string[]>([])
	const navigate = useNavigate()
	const move = (by: 1 | -1) => place.current && focusRow(place.current, by)
	const next = () => void move(1)
	const previous = () => void move(-1)
	useKeys(onView ? { j: next, k: previous } : {})
	const onKey = (event: KeyboardEvent) => {
		const by = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key]
		if (!by || !(event.target as HTMLElement).closest('tbody')) return
		event.preventDefault()
		move(by)
	}
	const onRow = (event: MouseEvent, row: T) => {
		const isOwn = (event.target as HTMLElement).closest('a, button, input, label')
		if (!isOwn && linkOf) void navigate(linkOf(row) as Parameters<typeof navigate>[0])
	}
	const pick = (key: string) =>
		setPicked(picked.includes(key) ? picked.filter((one) => one !== key) : [...picked.slice(-1), key])
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links within
		<div
			ref={place}
			onKeyDown={onKey}
			className={cn(
				// A column's own maximal width wins.
				'[:where(&_td)]:max-w-72 [&_td]:px-2.5 [&_th]:px-2.5',
				view.density === 'compact' && '[&_td]:h-7! [&_td]:py-0! [&_td_.second]:hidden',
			)}
		>
			{compareOf && picked.length > 0 && (
				<Picked
					rows={rows.filter((row) => picked.includes(keyOf(row)))}
					compareOf={compareOf}
					onClear={() => setPicked([])}
				/>
			)}
			<Table label={label}>
				<thead>
					<tr>
						{compareOf && (
							<Th className="w-8 pr-0!">
								<span className="sr-only">Compare</span>
							</Th>
						)}
						{visible.map((column) => (
							<Head key={column.key} {...{ column, columns, view, onView }} />
						))}
					</tr>
				</thead>
				<RowChunks
					rows={rows}
					columns={visible.length + (compareOf ? 1 : 0)}
					rowPx={view.density === 'compact' ? 29 : 41}
					row={(row) => (
						<Row
							key={keyOf(row)}
							onClick={(event) => onRow(event, row)}
							className={cn(linkOf && 'cursor-pointer', rowClass?.(row))}
						>
							{compareOf && (
								<Td className="w-8 pr-0!">
									<label className="grid size-6 place-items-center">
										<input
											type="checkbox"
											aria-label={`Select ${nameOf(row, visible)} to compare`}
											checked={picked.includes(keyOf(row))}
											onChange={() => pick(keyOf(row))}
											className="size-4 accent-accent"
										/>
									</label>
								</Td>
							)}
							{visible.map(({ key, isNumber, className, width, show }) => (
								<Td
									key={key}
									right={isNumber ?? false}
									style={width ? { maxWidth: width } : undefined}
									className={cn('truncate', className)}
								>
									{show(row)}
								</Td>
							))}
						</Row>
					)}
				/>
			</Table>
		</div>
	)
}

/** What distinguishes a row for people who hear it: its first two cells, with times as they are read. */
function nameOf<T>(row: T, columns: readonly Column<T>[]): string {
	const values = columns.slice(0, 2).map(({ value }) => String(value(row) ?? ''))
	return values.map((one) => (/^\d{4}-\d\d-\d\dT/.test(one) ? formatDateTime(one) : one)).join(', ')
}

interface PickedProps<T> {
	rows: readonly T[]
	compareOf(one: T, other: T): LinkProps
	onClear(): void
}

function Picked<T>({ rows: [one, other], compareOf, onClear }: PickedProps<T>) {
	return (
		<div className="flex flex-wrap items-center gap-3 border-b border-line bg-accent-soft px-4 py-1.5">
			<p role="status" className="flex-1">
				{other === undefined ? '1 selected. Select another one to compare.' : '2 selected'}
			</p>
			{one !== undefined && other !== undefined && (
				<Link {...compareOf(one, other)} className={buttonClass('primary', true)}>
					Compare
				</Link>
			)}
			<Button small variant="ghost" onClick={onClear}>
				Clear selection
			</Button>
		</div>
	)
}

interface HeadProps<T> {
	column: Placed<Column<T>>
	columns: readonly Column<T>[]
	view: TableView
	onView: ((view: TableView) => void) | undefined
}

const minPx = 60
const maxPx = 900

/** The header of a column: a click sorts, dragging it moves the column, and dragging its edge changes the width. */
function Head<T>({ column, columns, view, onView }: HeadProps<T>) {
	const { key, label, isNumber, sort, width } = column
	const isSorted = sort !== undefined && view.sort === sort
	const place = useRef<HTMLTableCellElement>(null)
	// Set while the edge is dragged; the width is written to the address when it is released.
	const [dragged, setDragged] = useState<number | null>(null)
	// biome-ignore lint/correctness/useExhaustiveDependencies: a change of the address must reset it
	useEffect(() => setDragged(null), [width])
	const px = dragged ?? width
	const drag = (event: PointerEvent<HTMLElement>) => {
		const left = place.current?.getBoundingClientRect().left
		if (left === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return
		setDragged(Math.round(Math.min(maxPx, Math.max(minPx, event.clientX - left))))
	}
	const letGo = () => {
		if (dragged !== null && dragged !== width)
			onView?.({ ...view, columns: changeColumn(columns, view, key, dragged) })
	}
	const onDrop = (event: DragEvent) => {
		const moved = event.dataTransfer.getData('text/x-column')
		if (moved && onView) onView({ ...view, columns: moveColumn(columns, view, moved, key) })
	}
	const name =
		sort && onView ? (
			<button
				type="button"
				onClick={() => onView({ ...view, ...(isSorted ? {} : { sort }) })}
				className={cn(
					'inline-flex min-h-6 items-center gap-1 rounded hover:text-ink',
					isSorted && 'font-semibold text-ink',
				)}
			>
				{label}
				{isSorted && <Icon name="down" className={cn('size-3', !isNumber && 'rotate-180')} />}
			</button>
		) : (
			label
		)
	return (
		<Th
			ref={place}
			right={isNumber ?? false}
			aria-sort={isSorted ? (isNumber ? 'descending' : 'ascending') : undefined}
			style={px ? { width: px, minWidth: px, maxWidth: px } : undefined}
			draggable={onView !== undefined}
			onDragStart={(event) => event.dataTransfer.setData('text/x-column', key)}
			onDragOver={(event) => event.preventDefault()}
			onDrop={onDrop}
			className="relative"
		>
			{name}
			{onView && (
				<span
					aria-hidden="true"
					// Otherwise the header itself would be dragged.
					onMouseDown={(event) => event.preventDefault()}
					onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
					onPointerMove={drag}
					onLostPointerCapture={letGo}
					onDoubleClick={() =>
						onView({
							...view,
							columns: changeColumn(columns, view, key),
						})
					}
					className="absolute inset-y-1 right-0 w-1.5 cursor-col-resize touch-none rounded hover:bg-accent"
				/>
			)}
		</Th>
	)
}

/** Moves the focus from row to row, also between table bodies; the first link of a row gets it. */
function focusRow(place: HTMLElement, by: 1 | -1): void {
	const rows = [...place.querySelectorAll('tbody > tr')].filter((row) => row.querySelector('a'))
	const at = rows.findIndex((row) => row.contains(document.activeElement))
	const next = at < 0 ? rows[0] : rows[at + by]
	next?.querySelector<HTMLElement>('a')?.focus()
}

export interface TableToolsProps<T> {
	columns: readonly Column<T>[]
	view: TableView
	onView(view: TableView): void
	rows: readonly T[]
	/** Name of the file. */
	name: string
}

/** Display options of the table, its saved views, and a file with exactly these rows and columns. */
export function TableTools<T>(props: TableToolsProps<T>) {
	const [isOpen, setIsOpen] = useState(false)
	const { columns, view, rows, name } = props
	return (
		<>
			<Button aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
				Columns & views
			</Button>
			<Button onClick={() => saveCsv(name, toCsv(shownColumns(columns, view), rows))}>Export CSV</Button>
			{isOpen && (
				<Suspense>
					<ViewDialog columns={columns} view={view} onView={props.onView} onClose={() => setIsOpen(false)} />
				</Suspense>
			)}
		</>
	)
}

/**
 * Rows as CSV. Cells are quoted where necessary; a value that a spreadsheet would execute as a formula is prefixed with an apostrophe.
 */
export function toCsv<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
	const cell = (value: string | number | null) => {
		if (typeof value === 'number') return plainNumber(value)
		const text = /^(\s*[=+\-@|%]|[\t\r\n])/.test(value ?? '') ? `'${value}` : (value ?? '')
		return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
	}
	const lines = [
		columns.map(({ label }) => label),
		...rows.map((row) => columns.map(({ value }) => value(row))),
	]
	return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('')
}

/** Never in the form `1e-7`. */
function plainNumber(value: number): string {
	if (!Number.isFinite(value)) return ''
	return Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(9).replace(/\.?0+$/, '')
}

function saveCsv(name: string, text: string): void {
	const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
	Object.assign(document.createElement('a'), { href: url, download: `${name}.csv` }).click()
	setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** The loaded rows, sorted by the chosen column: numbers in descending, texts in alphabetical order. */
export function sortRows<T>(
	rows: readonly T[],
	columns: readonly Column<T>[],
	sort: string | undefined,
): readonly T[] {
	const column = columns.find((one) => one.sort !== undefined && one.sort === sort)
	if (!column) return rows
	const { value, isNumber } = column
	return rows.toSorted((one, other) => {
		const [a, b] = [value(one), value(other)]
		return isNumber ? Number(b ?? -1) - Number(a ?? -1) : String(a ?? '').localeCompare(String(b ?? ''))
	})
}
