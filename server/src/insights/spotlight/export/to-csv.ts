import { csvLine } from '../../../platform/csv.ts'

type Cell = string | number | null

/** Rows as lines of CSV, what is inside an object under `outer.inner`; the first line names the columns. */
export function toCsv(rows: readonly object[]): string {
	const flat = rows.map((row) => flatten(row))
	const names = [...new Set(flat.flatMap((row) => [...row.keys()]))]
	return [names, ...flat.map((row) => names.map((name) => row.get(name) ?? null))].map(csvLine).join('')
}

function flatten(value: object, before = ''): Map<string, Cell> {
	return new Map(
		Object.entries(value).flatMap(([name, inner]): [string, Cell][] =>
			typeof inner === 'object' && inner !== null
				? [...flatten(inner, `${before}${name}.`)]
				: [[before + name, typeof inner === 'boolean' ? String(inner) : (inner as Cell)]],
		),
	)
}
