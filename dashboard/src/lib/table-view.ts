import { type ComponentType, createContext } from 'react'

/** How a table is shown, as in its address. */
export interface TableView {
	/** The visible columns in order; `key:240` has a width in pixels. */
	columns?: string[]
	sort?: string
	density?: 'compact'
}

export function parseTableView(search: Record<string, unknown>): TableView {
	const columns = [search.columns ?? []]
		.flat()
		.filter((one) => typeof one === 'string' && /^[\w.]+(:\d{2,4})?$/.test(one))
	return {
		...(columns.length > 0 && { columns: [...new Set(columns as string[])] }),
		...(typeof search.sort === 'string' && search.sort !== '' && { sort: search.sort }),
		...(search.density === 'compact' && { density: 'compact' as const }),
	}
}

interface AnyColumn {
	key: string
	/** Hidden until it is chosen. */
	extra?: true
}
export type Placed<C extends AnyColumn = AnyColumn> = C & { width?: number | undefined }

/** The visible columns in order. */
export function shownColumns<C extends AnyColumn>(
	columns: readonly C[],
	{ columns: shown }: TableView,
): Placed<C>[] {
	if (!shown) return columns.filter(({ extra }) => !extra)
	return shown.flatMap((text) => {
		const [key, width] = text.split(':')
		const column = columns.find((one) => one.key === key)
		return column ? [{ ...column, ...(width && { width: Number(width) }) }] : []
	})
}

export function writeColumns(shown: readonly Placed[]): string[] {
	return shown.map(({ key, width }) => (width ? `${key}:${width}` : key))
}

export function changeColumn(
	columns: readonly AnyColumn[],
	view: TableView,
	key: string,
	width?: number,
): string[] {
	return writeColumns(shownColumns(columns, view).map((one) => (one.key === key ? { key, width } : one)))
}

/** Moves a column to the place of another. */
export function moveColumn(
	columns: readonly AnyColumn[],
	view: TableView,
	moved: string,
	to: string,
): string[] {
	const shown = shownColumns(columns, view)
	const from = shown.findIndex(({ key }) => key === moved)
	const at = shown.findIndex(({ key }) => key === to)
	if (from < 0 || at < 0) return writeColumns(shown)
	return writeColumns(shown.toSpliced(from, 1).toSpliced(at, 0, shown[from] as Placed))
}

/** The component with the saved views of the list at this address. The app sets it, because it knows where they are stored. */
export const SavedViewsOf = createContext<ComponentType<{ onClose(): void }>>(() => null)
