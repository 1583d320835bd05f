/** Characters that make a spreadsheet take a cell for a formula. */
const formula = /^[=+\-@\t\r\n|%]/

/** One line of RFC 4180, every cell quoted; a cell that a spreadsheet would run starts with an apostrophe. */
export function csvLine(cells: readonly (string | number | null)[]): string {
	return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: string | number | null): string {
	const text = String(value ?? '')
	const safe = typeof value === 'string' && formula.test(text.trimStart() || text) ? `'${text}` : text
	return `"${safe.replaceAll('"', '""')}"`
}
