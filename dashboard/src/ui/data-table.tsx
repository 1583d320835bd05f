import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { Menu, MenuItem } from './menu.tsx'
import { SortHeader } from './sort-header.tsx'
import { Row, Table, Td, Th } from './table.tsx'

export interface Column<T> {
	key: string
	label: string
	/** As people read it. */
	show(row: T): ReactNode
	/** As a file has it: plain, numbers with a point and nothing between their digits. */
	value(row: T): string | number | null
	/** What the list is sorted by when its head is pressed; absent: it cannot be. */
	sort?: string
	isNumber?: true
	/** Not shown until it is chosen. */
	extra?: true
}

interface DataTableProps<T> {
	label: string
	columns: readonly Column<T>[]
	rows: readonly T[]
	keyOf(row: T): string
	/** The keys of the columns that are shown, from the address; absent: those that are not extra. */
	shown: readonly string[] | undefined
	sort: string
	onSort(sort: string): void
}

/** A list with the columns that were chosen, sorted by the one that was pressed. */
export function DataTable<T>({ label, columns, rows, keyOf, shown, sort, onSort }: DataTableProps<T>) {
	const visible = shownColumns(columns, shown)
	return (
		<Table label={label}>
			<thead>
				<tr>
					{visible.map(({ key, label: head, sort: by, isNumber }) =>
						by ? (
							<SortHeader key={key} isSorted={sort === by} onSort={() => onSort(by)}>
								{head}
							</SortHeader>
						) : (
							<Th key={key} right={isNumber ?? false}>
								{head}
							</Th>
						),
					)}
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<Row key={keyOf(row)}>
						{visible.map((column) => (
							<Td key={column.key} right={column.isNumber ?? false} className="max-w-72 truncate">
								{column.show(row)}
							</Td>
						))}
					</Row>
				))}
			</tbody>
		</Table>
	)
}

function shownColumns<T>(columns: readonly Column<T>[], shown: readonly string[] | undefined): Column<T>[] {
	if (!shown) return columns.filter(({ extra }) => !extra)
	return shown.flatMap((key) => columns.find((column) => column.key === key) ?? [])
}

interface TableToolsProps<T> {
	columns: readonly Column<T>[]
	shown: readonly string[] | undefined
	onShown(shown: string[] | undefined): void
	rows: readonly T[]
	/** Of the file. */
	name: string
}

/** Which columns are shown, and a file of exactly these rows and columns. */
export function TableTools<T>({ columns, shown, onShown, rows, name }: TableToolsProps<T>) {
	const visible = shownColumns(columns, shown)
	const toggle = (key: string) => {
		const isShown = visible.some((column) => column.key === key)
		const next = isShown
			? visible.filter((column) => column.key !== key)
			: columns.filter((column) => column.key === key || visible.includes(column))
		if (next.length > 0) onShown(next.map((column) => column.key))
	}
	return (
		<>
			<Menu
				trigger={
					<Button>
						Columns
						<Icon name="down" className="size-3.5 text-ink-3" />
					</Button>
				}
			>
				{columns.map(({ key, label }) => (
					<MenuItem
						key={key}
						checked={visible.some((column) => column.key === key)}
						onSelect={() => toggle(key)}
					>
						{label}
					</MenuItem>
				))}
				<MenuItem icon="refresh" onSelect={() => onShown(undefined)}>
					Reset columns
				</MenuItem>
			</Menu>
			<Button onClick={() => saveCsv(name, toCsv(visible, rows))}>Export CSV</Button>
		</>
	)
}

/** Rows as lines, a cell in quotes where it must be; what a spreadsheet would take for a formula begins with an apostrophe. */
export function toCsv<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
	const cell = (value: string | number | null) => {
		if (typeof value === 'number') return plainNumber(value)
		const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '')
		return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
	}
	const lines = [
		columns.map(({ label }) => label),
		...rows.map((row) => columns.map(({ value }) => value(row))),
	]
	return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('')
}

/** Never `1e-7`. */
function plainNumber(value: number): string {
	if (!Number.isFinite(value)) return ''
	return Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(9).replace(/\.?0+$/, '')
}

function saveCsv(name: string, text: string): void {
	const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
	Object.assign(document.createElement('a'), { href: url, download: `${name}.csv` }).click()
	setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
