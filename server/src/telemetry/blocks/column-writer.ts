import type { Columns } from '../columns.ts'
import { RowWriter } from '../row-writer.ts'

/**
 * One stream of bytes of a column, value after value. `values` of text are preceded by their lengths, others have a fixed `width`;
 * `nulls` has one byte per row; `counts` has a UInt32 per row, the number of its `elements` in the streams that follow.
 */
export interface Stream {
	role: 'values' | 'nulls' | 'counts' | 'elements'
	/** Bytes per value; 0 for texts, which are preceded by their length in LEB128. */
	width: number
}

/** How the values of a column are laid out in a block. It is the engine's Native format, except for the counts. */
export interface ColumnLayout {
	name: string
	/** The type of its values in a block. */
	type: string
	streams: readonly Stream[]
	/** Whether the engine receives the column even if no row of a batch has a value in it. */
	isAlwaysThere?: boolean
	/** Whether the engine receives each text once, in a dictionary. */
	isDictionary?: boolean
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
		const isDictionary = definition.startsWith('LowCardinality')
		return { name, type, streams: streamsOf(type), ...(isDictionary && { isDictionary }) }
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

/** Size in bytes of a stream for rows without a value: empty texts, zeros, nulls. */
export function emptyBytes({ role, width }: Stream, rows: number): number {
	return role === 'elements' ? 0 : rows * Math.max(1, width)
}

/** The byte of which those consist. */
export function emptyByte({ role }: Stream): 0 | 1 {
	return role === 'nulls' ? 1 : 0
}

/** Larger buffers, which a large body needed, are not kept for the next one. */
const maxKeptBytes = 4 * 1024 * 1024
const firstBytes = 1024

/**
 * One column of a block, written row by row. Rows for which nothing is written have the empty value (an empty text, 0, null). As
 * long as all rows have the same value, it is stored once.
 */
export class ColumnWriter {
	readonly streams: RowWriter[]
	/** Index of its layout. */
	readonly number: number
	/** Whether anything was written since the last reset. Most columns of most blocks are never written. */
	isTouched = false
	/** Whether the streams hold one value that all rows so far share, followed by the last value until it has been compared. */
	isSame = true
	readonly #layout: ColumnLayout
	/** Start of the last value in each stream. */
	readonly #starts: number[]
	/** Rows that are written or filled with empty values. */
	#count = 0
	#isOpen = false
	/** State before empty rows were filled in for the last value. */
	#before: { count: number; isSame: boolean; ends: number[] } | null = null
	/** Identifies the value of all rows, if its writer gave a token. */
	#token: unknown = null

	constructor(layout: ColumnLayout, number: number) {
		this.number = number
		this.#layout = layout
		this.streams = layout.streams.map(() => new RowWriter(firstBytes))
		this.#starts = layout.streams.map(() => 0)
	}

	/** The first stream, ready for the value of a row. `token`: see `repeats`. */
	begin(row: number, token: unknown = null): RowWriter {
		if (this.#isOpen) this.#settle()
		this.#before = null
		if (this.#count < row) this.#fill(row)
		for (let i = 0; i < this.streams.length; i++) this.#starts[i] = (this.streams[i] as RowWriter).position
		this.#count = row + 1
		this.isTouched = true
		this.#isOpen = true
		this.#token = token
		return this.streams[0] as RowWriter
	}

	/** Gives a row the value of all previous rows if that was begun with the same token. Returns false if the row must be written. */
	repeats(row: number, token: unknown): boolean {
		if (token === null || this.#token !== token || this.#count !== row || row === 0) return false
		if (this.#isOpen) this.#settle()
		if (!this.isSame || this.#token !== token) return false
		this.#count++
		return true
	}

	/** Start of the last value in each stream; empty if that value belongs to another row. */
	startsOf(row: number): readonly number[] {
		return this.#isOpen && this.#count === row + 1 ? this.#starts : []
	}

	/** The text is its own token: comparing it costs less than writing it and comparing the bytes. */
	text(row: number, value: string): void {
		if (value !== '' && !this.repeats(row, value)) this.begin(row, value).text(value)
	}

	/** A non-negative integer below 2^53, stored in 64 bits. */
	count(row: number, value: number): void {
		if (value !== 0 && !this.repeats(row, value)) this.begin(row, value).count(value)
	}

	uint32(row: number, value: number): void {
		if (value !== 0 && !this.repeats(row, value)) this.begin(row, value).uint32(value)
	}

	/** A nullable value, of the width of the column. */
	nullable<T>(row: number, value: T | null, write: (w: RowWriter, value: T) => void): void {
		if (value === null || this.repeats(row, value)) return
		this.begin(row, value).byte(0)
		write(this.streams[1] as RowWriter, value)
	}

	/** Discards what was written for a row, which must be the last one. */
	rollBack(row: number): void {
		if (this.#count <= row) return
		this.#count = row
		if (!this.#isOpen) return
		this.#isOpen = false
		this.#truncate(this.#before?.ends)
		this.#count = this.#before?.count ?? row
		this.isSame = this.#before?.isSame ?? this.isSame
		this.#token = null
	}

	/** Size of the streams. */
	get keptBytes(): number {
		let bytes = 0
		for (const { position } of this.streams) bytes += position
		return bytes
	}

	/** Size of all its rows, if each has its own value: what reading them takes. */
	get bytes(): number {
		return this.isSame ? this.keptBytes * this.#count : this.keptBytes
	}

	/** Fills the column up to this many rows; false if the block omits the column. */
	finish(rows: number): boolean {
		if (this.#isOpen) this.#settle()
		if (this.#count === 0) return false
		if (this.#count < rows) this.#fill(rows)
		return true
	}

	/** Repeats the shared value for each row. */
	expand(): void {
		if (!this.isSame) return
		this.isSame = false
		for (const w of this.streams) {
			const end = w.position
			w.ensure(end * (this.#count - 1))
			for (let i = 1; i < this.#count; i++) {
				w.buffer.copy(w.buffer, w.position, 0, end)
				w.position += end
			}
		}
	}

	reset(): void {
		for (let i = 0; i < this.streams.length; i++) {
			if ((this.streams[i] as RowWriter).buffer.length > maxKeptBytes)
				this.streams[i] = new RowWriter(firstBytes)
			;(this.streams[i] as RowWriter).position = 0
		}
		this.isTouched = false
		this.#count = 0
		this.isSame = true
		this.#isOpen = false
		this.#token = null
	}

	/** Compares the last value with that of the previous rows. */
	#settle(): void {
		this.#isOpen = false
		if (!this.isSame || this.#count === 1) return
		if (this.#isRepeated()) return void this.#truncate()
		this.#token = null
		const last = this.streams.map((w, i) => Buffer.from(w.buffer.subarray(this.#starts[i], w.position)))
		this.#truncate()
		this.#count--
		this.expand()
		this.#count++
		for (const [i, w] of this.streams.entries()) {
			this.#starts[i] = w.position
			w.raw(last[i] as Buffer)
		}
	}

	#isRepeated(): boolean {
		for (let i = 0; i < this.streams.length; i++)
			if (!hasTwice(this.streams[i] as RowWriter, this.#starts[i] as number)) return false
		return true
	}

	#truncate(ends: readonly number[] = this.#starts): void {
		for (let i = 0; i < this.streams.length; i++) (this.streams[i] as RowWriter).position = ends[i] as number
	}

	/** Fills in the empty value for all rows before `row` that have none. */
	#fill(row: number): void {
		const rows = this.#count === 0 ? 1 : row - this.#count
		const ends = this.streams.map(({ position }) => position)
		this.#before = { count: this.#count, isSame: this.isSame, ends }
		if (this.#count > 0) this.expand()
		this.#token = null
		for (const [i, w] of this.streams.entries()) {
			const stream = this.#layout.streams[i] as ColumnLayout['streams'][number]
			const bytes = emptyBytes(stream, rows)
			w.ensure(bytes)
			w.buffer.fill(emptyByte(stream), w.position, w.position + bytes)
			w.position += bytes
		}
		this.#count = row
	}
}

/** Below this length a loop is faster than a call into native code. */
const shortBytes = 64

/** Whether the bytes before `middle` are repeated after it. */
function hasTwice({ buffer, position }: RowWriter, middle: number): boolean {
	if (position !== middle * 2) return false
	if (middle > shortBytes) return buffer.compare(buffer, 0, middle, middle, position) === 0
	for (let i = 0; i < middle; i++) if (buffer[i] !== buffer[middle + i]) return false
	return true
}
