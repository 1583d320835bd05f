import type { Columns } from '../columns.ts'

/**
 * One run of bytes of a column, value behind value. `values` of text stand behind their lengths, others have a `width`;
 * `nulls` has a byte for each row; `counts` says as UInt32 how many `elements` belong to each row, in the streams behind it.
 */
export interface Stream {
	role: 'values' | 'nulls' | 'counts' | 'elements'
	/** Bytes of a value; 0: a text behind its length in LEB128. */
	width: number
}

/** How the values of a column lie in a block, which is also how the engine's Native format has them, but for the counts. */
export interface ColumnLayout {
	name: string
	/** The type under which the engine gets it: dictionaries are the table's own affair. */
	type: string
	streams: readonly Stream[]
}

const widths: Readonly<Record<string, number>> = {
	...{ UInt8: 1, UInt16: 2, UInt32: 4, UInt64: 8 },
	...{ Int32: 4, Int64: 8, Float64: 8, String: 0, "DateTime64(9, 'UTC')": 8 },
}

/** The layout of each column of a table, from its definition. */
export function layoutsOf(columns: Columns): readonly ColumnLayout[] {
	return columns.map(([name, definition]) => {
		const type = definition
			.replace(/ CODEC\(.*$/, '')
			.replaceAll('LowCardinality(String)', 'String')
			.trim()
		return { name, type, streams: streamsOf(type) }
	})
}

function streamsOf(type: string): Stream[] {
	const inner = (name: string) => type.slice(name.length + 1, -1)
	if (type.startsWith('Nullable('))
		return [
			{ role: 'nulls', width: 1 },
			{ role: 'values', width: widthOf(inner('Nullable')) },
		]
	const counts: Stream = { role: 'counts', width: 4 }
	if (type === 'Map(String, String)') return [counts, element(0), element(0)]
	if (!type.startsWith('Array(')) return [{ role: 'values', width: widthOf(type) }]
	return [counts, ...streamsOf(inner('Array')).map(({ width }) => element(width))]
}

const element = (width: number): Stream => ({ role: 'elements', width })

function widthOf(type: string): number {
	const fixed = /^FixedString\((\d+)\)$/.exec(type)
	const width = fixed ? Number(fixed[1]) : widths[type]
	if (width === undefined) throw new TypeError(`No block has a column of type ${type}.`)
	return width
}

/** How many bytes a stream has for so many rows that hold nothing: empty texts, zeros, nulls. */
export function emptyBytes({ role, width }: Stream, rows: number): number {
	return role === 'elements' ? 0 : rows * Math.max(1, width)
}

/** The byte that fills them. */
export function emptyByte({ role }: Stream): 0 | 1 {
	return role === 'nulls' ? 1 : 0
}
