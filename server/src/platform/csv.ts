/** Characters that make a spreadsheet interpret a cell as a formula. */
const formula = /^[=+\-@\t\r\n|%]/

export type CsvCell = string | number | null

/**
 * Rows as CSV with a line of column names. The fields of an object are columns named `outer.inner`; the column of an object that is
 * null in some rows is left out.
 */
export function csvTable(rows: readonly ReadonlyMap<string, CsvCell>[]): string {
	const names = [...new Set(rows.flatMap((row) => [...row.keys()]))]
	const isNullObject = (name: string) =>
		names.some((other) => other.startsWith(`${name}.`)) &&
		rows.every((row) => (row.get(name) ?? null) === null)
	const columns = names.filter((name) => !isNullObject(name))
	return [columns, ...rows.map((row) => columns.map((name) => row.get(name) ?? null))].map(csvLine).join('')
}

/** One line of CSV (RFC 4180), every cell quoted. A cell that a spreadsheet would evaluate is prefixed with an apostrophe. */
export function csvLine(cells: readonly CsvCell[]): string {
	return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: CsvCell): string {
	const text = String(value ?? '')
	const safe = typeof value === 'string' && formula.test(text.trimStart() || text) ? `'${text}` : text
	return `"${safe.replaceAll('"', '""')}"`
}
