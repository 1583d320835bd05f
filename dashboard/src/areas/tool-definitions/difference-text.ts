import { showHidden } from '../../lib/show-hidden.ts'

export interface Piece {
	kind: 'same' | 'added' | 'removed'
	text: string
}

/** Above this many pairs of parts, one text is shown as removed and the other as added. */
const maxPairs = 1_000_000

/** A value of a definition for display: text as it is, everything else as JSON, with hidden characters made visible. */
export function readable(value: unknown): string {
	return showHidden(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))
}

/** The removed and added parts of a text, word by word; null if so little is left unchanged that this would be confusing. */
export function compareWords(from: string, to: string): Piece[] | null {
	const words = (text: string) => text.match(/\s+|[\p{L}\p{N}_]+|./gsu) ?? []
	const found = compare(words(from), words(to))
	const same = found.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.trim().length : 0), 0)
	return same * 2 < Math.min(from.length, to.length) ? null : found
}

/** The removed and added lines of a text; each line is a piece. */
export function compareLines(from: string, to: string): Piece[] {
	const lines = (text: string) => (text === '' ? [] : text.split('\n'))
	return pieces(lines(from), lines(to))
}

/** Adjacent pieces of one kind are merged. */
function compare(from: readonly string[], to: readonly string[]): Piece[] {
	const joined: Piece[] = []
	for (const { kind, text } of pieces(from, to)) {
		const last = joined.at(-1)
		if (last?.kind === kind) last.text += text
		else joined.push({ kind, text })
	}
	return joined
}

function pieces(from: readonly string[], to: readonly string[]): Piece[] {
	let start = 0
	while (start < Math.min(from.length, to.length) && from[start] === to[start]) start += 1
	let end = 0
	const shorter = Math.min(from.length, to.length) - start
	while (end < shorter && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1
	const as = (kind: Piece['kind'], texts: readonly string[]) => texts.map((text) => ({ kind, text }))
	return [
		...as('same', from.slice(0, start)),
		...compareMiddle(from.slice(start, from.length - end), to.slice(start, to.length - end)),
		...as('same', from.slice(from.length - end)),
	]
}

/** The longest common subsequence is unchanged; removed parts come before added ones. */
function compareMiddle(from: readonly string[], to: readonly string[]): Piece[] {
	const lengths = from.length * to.length > maxPairs ? null : commonLengths(from, to)
	const found: Piece[] = []
	let [i, j] = [0, 0]
	const at = (row: number, column: number) => lengths?.[row]?.[column] ?? 0
	while (i < from.length || j < to.length) {
		const [was, is] = [from[i], to[j]]
		if (lengths && was !== undefined && was === is) {
			found.push({ kind: 'same', text: was })
			i += 1
			j += 1
		} else if (was !== undefined && (is === undefined || at(i + 1, j) >= at(i, j + 1))) {
			found.push({ kind: 'removed', text: was })
			i += 1
		} else {
			found.push({ kind: 'added', text: is ?? '' })
			j += 1
		}
	}
	return found
}

/** By row and column: the length of the longest common subsequence of the remaining parts. */
function commonLengths(from: readonly string[], to: readonly string[]): Uint32Array[] {
	const rows = Array.from({ length: from.length + 1 }, () => new Uint32Array(to.length + 1))
	for (let i = from.length - 1; i >= 0; i -= 1) {
		const [row, below] = [rows[i] as Uint32Array, rows[i + 1] as Uint32Array]
		for (let j = to.length - 1; j >= 0; j -= 1) {
			const same = from[i] === to[j]
			row[j] = same ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
		}
	}
	return rows
}
