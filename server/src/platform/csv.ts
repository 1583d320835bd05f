/** Characters that make a spreadsheet interpret a cell as a formula. */
const formula = /^[=+\-@\t\r\n|%]/

/** One line of CSV (RFC 4180), every cell quoted. A cell that a spreadsheet would evaluate is prefixed with an apostrophe. */
export function csvLine(cells: readonly (string | number | null)[]): string {
	return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: string | number | null): string {
	const text = String(value ?? '')
	const safe = typeof value === 'string' && formula.test(text.trimStart() || text) ? `'${text}` : text
	return `"${safe.replaceAll('"', '""')}"`
}
