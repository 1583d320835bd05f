import type { WorkSlices } from '../../platform/clock.ts'
import { type ColumnLayout, ColumnWriter, emptyByte, emptyBytes, type Stream } from './column-writer.ts'

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
			const { keptBytes, isSame } = column
			kept += keptBytes
			whole += isSame ? keptBytes * this.rows : keptBytes
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

/** The last column, of eight bytes per row, is empty in the log; the sender of the block fills it in. */
export interface StampColumn {
	name: string
	type: string
}

/** Concatenates blocks into one block of the engine's Native format, in memory from `take`. Throws `Unreadable`. */
export function toNative<Bytes extends Uint8Array>(
	blocks: readonly Block[],
	layouts: readonly ColumnLayout[],
	take: (bytes: number) => Bytes,
	stamp?: StampColumn,
	slices: Pick<WorkSlices, 'pause'> | null = null,
): Bytes {
	const rows = blocks.reduce((sum, block) => sum + block.rows, 0)
	const byNumber = blocks.map((block) => {
		const columns: (BlockColumn | undefined)[] = layouts.map(() => undefined)
		for (const column of block.columns) columns[column.number] = column
		return columns
	})
	const columns = layouts.flatMap((layout, number) => {
		slices?.pause()
		const parts = byNumber.map((columns) => columns[number])
		return layout.isAlwaysThere || parts.some(Boolean) ? [{ layout, parts, head: headOf(layout) }] : []
	})
	const [columnCount, rowCount] = [varint(columns.length + (stamp ? 1 : 0)), varint(rows)]
	const stampHead = stamp ? headOf(stamp) : Buffer.alloc(0)
	let bytes = columnCount.length + rowCount.length + stampHead.length + (stamp ? 8 * rows : 0)
	for (const { layout, parts, head } of columns) {
		slices?.pause()
		bytes += head.length
		for (const [i, stream] of layout.streams.entries())
			for (const [n, part] of parts.entries())
				bytes += nativeBytes(stream, part, i, (blocks[n] as Block).rows)
	}
	const taken = take(bytes)
	const target = Buffer.from(taken.buffer, taken.byteOffset, taken.length)
	let at = columnCount.copy(target, 0)
	at += rowCount.copy(target, at)
	for (const { layout, parts, head } of columns) {
		slices?.pause()
		at += head.copy(target, at)
		for (const [i, stream] of layout.streams.entries()) {
			let total = 0
			for (const [n, part] of parts.entries()) {
				const { rows } = blocks[n] as Block
				if (stream.role !== 'counts') at = copyStream(target, at, stream, part, i, rows)
				else {
					total = writeOffsets(target, at, part, rows, total)
					at += 8 * rows
				}
			}
		}
	}
	at += stampHead.copy(target, at)
	if (stamp) target.fill(0, at, at + 8 * rows)
	return taken
}

function headOf({ name, type }: StampColumn): Buffer {
	return Buffer.concat([name, type].flatMap((text) => [varint(Buffer.byteLength(text)), Buffer.from(text)]))
}

function varint(value: number): Buffer {
	const bytes: number[] = []
	let rest = value
	for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
	return Buffer.from([...bytes, rest])
}

function nativeBytes(stream: Stream, part: BlockColumn | undefined, i: number, rows: number): number {
	if (stream.role === 'counts') return 8 * rows
	if (!part) return emptyBytes(stream, rows)
	return (part.streams[i] as Buffer).length * (part.isSame ? rows : 1)
}

function copyStream(
	target: Buffer,
	at: number,
	stream: Stream,
	part: BlockColumn | undefined,
	i: number,
	rows: number,
): number {
	const end = at + nativeBytes(stream, part, i, rows)
	if (!part) target.fill(emptyByte(stream), at, end)
	else {
		const bytes = part.streams[i] as Buffer
		target.set(bytes, at)
		// Doubles what is already copied until the range is full.
		for (let done = bytes.length; at + done < end; done *= 2)
			target.copyWithin(at + done, at, Math.min(at + done, end - done))
	}
	return end
}

/** Writes each row's end offset among the elements of all blocks; returns the last offset. */
function writeOffsets(
	target: Buffer,
	start: number,
	part: BlockColumn | undefined,
	rows: number,
	before: number,
): number {
	const ends = viewOf(target)
	const counts = part?.isSame ? undefined : part?.streams[0]
	const each = counts && viewOf(counts)
	const same = part?.isSame ? (part.streams[0]?.readUInt32LE(0) ?? 0) : 0
	let total = before
	for (let row = 0, at = start; row < rows; row++, at += 8) {
		total += each ? each.getUint32(row * 4, true) : same
		ends.setUint32(at, total, true)
		ends.setUint32(at + 4, 0, true)
	}
	return total
}

/** Unlike with a Buffer, numbers are written without a function call. */
function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
	return new DataView(buffer, byteOffset, byteLength)
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

class ValueReader {
	readonly bytes: Buffer
	position = 0

	constructor(bytes: Buffer) {
		this.bytes = bytes
	}

	text(): string {
		let length = 0
		for (let factor = 1; ; factor *= 128) {
			const byte = this.bytes.readUInt8(this.position++)
			length += (byte & 127) * factor
			if (byte < 128) break
		}
		const at = this.#advance(length)
		return this.bytes.toString('utf8', at, this.position)
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
