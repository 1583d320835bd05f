import { type ColumnLayout, ColumnWriter, type Stream } from './column-writer.ts'

/**
 * A block of rows in the format of the log: rows u32 | columns u8 | for each column: its number u8, 1 if all rows share one value
 * u8, and the length of each of its streams u32 | the streams. A column without a value in any row is omitted. Records contain one
 * or more blocks, one after the other.
 */
export interface Block {
	rows: number
	columns: BlockColumn[]
}

export interface BlockColumn {
	/** Index into the layouts. */
	number: number
	/** Whether the streams hold a single value that all rows share. */
	isSame: boolean
	streams: Buffer[]
}

/** The bytes are not a block, or are truncated. */
export class Unreadable extends Error {
	override name = 'Unreadable'
	/** The engine's error code for faulty rows. */
	readonly type = 'INCORRECT_DATA'
}

const headBytes = 5
/**
 * How many times larger a block may become when shared values are repeated for each row, so that the size of a batch is limited in
 * the engine too.
 */
const maxExpansion = 8

/** Writes rows into a block, column by column. Reused for the next block. */
export class BlockWriter {
	readonly columns: readonly ColumnWriter[]
	rows = 0

	constructor(layouts: readonly ColumnLayout[]) {
		this.columns = layouts.map((layout, number) => new ColumnWriter(layout, number))
	}

	/** Discards what was written for the unfinished row. */
	rollBack(): void {
		for (const column of this.columns) if (column.isTouched) column.rollBack(this.rows)
	}

	/** Size of the rows in the engine's format. */
	get bytes(): number {
		let bytes = 0
		for (const column of this.columns) if (column.isTouched) bytes += column.bytes
		return bytes
	}

	/** The block as a buffer of its own. Empty if there are no rows. */
	take(): Buffer<ArrayBuffer> {
		const written = this.rows === 0 ? [] : this.#finish()
		let head = headBytes
		let body = 0
		for (const { streams, keptBytes } of written) {
			head += 2 + 4 * streams.length
			body += keptBytes
		}
		const target = Buffer.allocUnsafeSlow(written.length === 0 ? 0 : head + body)
		if (written.length > 0) this.#write(target, head, written)
		this.reset()
		return target
	}

	reset(): void {
		for (const column of this.columns) if (column.isTouched) column.reset()
		this.rows = 0
	}

	/** The columns that the block has. */
	#finish(): ColumnWriter[] {
		const written: ColumnWriter[] = []
		let kept = 0
		let whole = 0
		for (const column of this.columns) {
			if (!column.isTouched || !column.finish(this.rows)) continue
			written.push(column)
			kept += column.keptBytes
			whole += column.bytes
		}
		if (whole > maxExpansion * kept && whole >= 65_536) for (const column of written) column.expand()
		return written
	}

	#write(target: Buffer, head: number, written: readonly ColumnWriter[]): void {
		let at = target.writeUInt32LE(this.rows, 0)
		at = target.writeUInt8(written.length, at)
		let to = head
		for (const { number, isSame, streams } of written) {
			at = target.writeUInt8(number, at)
			at = target.writeUInt8(isSame ? 1 : 0, at)
			for (const { buffer, position } of streams) {
				at = target.writeUInt32LE(position, at)
				buffer.copy(target, to, 0, position)
				to += position
			}
		}
	}
}

/** Reads the blocks of a record; their streams are views of `source`. Throws `Unreadable`. */
export function readBlocks(source: Uint8Array, layouts: readonly ColumnLayout[]): Block[] {
	const bytes = Buffer.from(source.buffer, source.byteOffset, source.length)
	const blocks: Block[] = []
	for (let at = 0; at < bytes.length; ) {
		const { block, end } = readBlock(bytes, at, layouts)
		blocks.push(block)
		at = end
	}
	return blocks
}

interface ColumnHead {
	number: number
	isSame: boolean
	/** Lengths of its streams. */
	lengths: readonly number[]
}

/** Upper bound of the size of a block's head. */
export const maxBlockHeadBytes = 4096

/**
 * The head of the block that begins at `start`, and where its streams begin. Throws `Unreadable`, or RangeError if it is truncated.
 */
export function readBlockHead(
	bytes: Buffer,
	start: number,
	layouts: readonly ColumnLayout[],
): { rows: number; heads: ColumnHead[]; at: number } {
	const rows = bytes.readUInt32LE(start)
	let at = start + headBytes
	const heads = Array.from({ length: bytes.readUInt8(start + 4) }, () => {
		const [number, isSame] = [bytes.readUInt8(at), bytes.readUInt8(at + 1) === 1]
		const layout = layouts[number]
		if (!layout) throw new Unreadable(`A block has a column ${number}.`)
		at += 2
		const lengths = layout.streams.map(() => {
			at += 4
			return bytes.readUInt32LE(at - 4)
		})
		return { number, isSame, lengths }
	})
	return { rows, heads, at }
}

function readBlock(
	bytes: Buffer,
	start: number,
	layouts: readonly ColumnLayout[],
): { block: Block; end: number } {
	try {
		const { rows, heads, at: bodyAt } = readBlockHead(bytes, start, layouts)
		let at = bodyAt
		const columns = heads.map(({ number, isSame, lengths }) => ({
			number,
			isSame,
			streams: lengths.map((length) => {
				at += length
				if (at > bytes.length) throw new Unreadable('A block ends too early.')
				return bytes.subarray(at - length, at)
			}),
		}))
		for (const column of columns) checkColumn(column, rows, layouts)
		return { block: { rows, columns }, end: at }
	} catch (error) {
		if (error instanceof RangeError) throw new Unreadable('A block ends too early.')
		throw error
	}
}

/** Columns whose length does not depend on the number of rows are checked by the engine. */
function checkColumn(
	{ number, isSame, streams }: BlockColumn,
	rows: number,
	layouts: readonly ColumnLayout[],
) {
	const first = layouts[number]?.streams[0] as Stream
	const wanted = (isSame ? 1 : rows) * first.width
	if (first.width > 0 && streams[0]?.length !== wanted)
		throw new Unreadable(`Column ${layouts[number]?.name} of a block does not have ${rows} rows.`)
}

/** A value in JavaScript: 64-bit numbers are bigints, fixed-length bytes are hex digits, maps are lists of pairs. */
export type BlockValue = string | number | bigint | null | readonly BlockValue[]

/** The values of each column for the first rows of a block. Throws `Unreadable`. */
export function readColumns(
	block: Block,
	layouts: readonly ColumnLayout[],
	rows: number,
): Map<string, readonly BlockValue[]> {
	return new Map(
		block.columns.map((column) => {
			const layout = layouts[column.number] as ColumnLayout
			const values = readValues(column, layout, column.isSame ? 1 : rows)
			const [only] = values
			return [layout.name, column.isSame ? new Array(rows).fill(only) : values]
		}),
	)
}

function readValues({ streams }: BlockColumn, { type }: ColumnLayout, rows: number): BlockValue[] {
	const readers = streams.map((bytes) => new ValueReader(bytes))
	const read = valueIn(type, readers)
	try {
		return Array.from({ length: rows }, read)
	} catch (error) {
		if (error instanceof RangeError) throw new Unreadable('A column of a block ends too early.')
		throw error
	}
}

function valueIn(type: string, readers: readonly ValueReader[]): () => BlockValue {
	const [first, second, third] = readers as [ValueReader, ValueReader, ValueReader]
	if (type === 'String') return () => first.text()
	if (type === 'Map(String, String)')
		return () => Array.from({ length: first.fixed('UInt32') as number }, () => [second.text(), third.text()])
	if (type.startsWith('Nullable(')) {
		const inner = valueIn(type.slice(9, -1), [second])
		return () => {
			const isNull = first.fixed('UInt8') === 1
			const value = inner()
			return isNull ? null : value
		}
	}
	if (!type.startsWith('Array(')) return () => first.fixed(type)
	const inner = valueIn(type.slice(6, -1), readers.slice(1))
	return () => Array.from({ length: first.fixed('UInt32') as number }, inner)
}

export class ValueReader {
	readonly bytes: Buffer
	position = 0

	constructor(bytes: Buffer) {
		this.bytes = bytes
	}

	/** A text with its length before it, not decoded. */
	encodedText(): Buffer {
		const start = this.position
		this.#advance(this.#length())
		return this.bytes.subarray(start, this.position)
	}

	text(): string {
		const length = this.#length()
		const at = this.#advance(length)
		return this.bytes.toString('utf8', at, this.position)
	}

	#length(): number {
		let length = 0
		for (let factor = 1; ; factor *= 128) {
			const byte = this.bytes.readUInt8(this.position++)
			length += (byte & 127) * factor
			if (byte < 128) return length
		}
	}

	fixed(type: string): number | bigint | string {
		const { bytes } = this
		if (type === 'UInt8') return bytes.readUInt8(this.#advance(1))
		if (type === 'UInt16') return bytes.readUInt16LE(this.#advance(2))
		if (type === 'UInt32') return bytes.readUInt32LE(this.#advance(4))
		if (type === 'Int32') return bytes.readInt32LE(this.#advance(4))
		if (type === 'UInt64') return bytes.readBigUInt64LE(this.#advance(8))
		if (type === 'Float64') return bytes.readDoubleLE(this.#advance(8))
		if (!type.startsWith('FixedString(')) return bytes.readBigInt64LE(this.#advance(8))
		const width = Number(type.slice(12, -1))
		return bytes.toString('hex', this.#advance(width), this.position)
	}

	#advance(bytes: number): number {
		const at = this.position
		this.position += bytes
		if (this.position > this.bytes.length) throw new RangeError('The column ends.')
		return at
	}
}
