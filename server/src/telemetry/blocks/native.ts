import type { WorkSlices } from '../../platform/clock.ts'
import { type Block, type BlockColumn, ValueReader } from './block.ts'
import { type ColumnLayout, emptyByte, emptyBytes, type Stream } from './column-writer.ts'

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
		if (!layout.isAlwaysThere && !parts.some(Boolean)) return []
		const { name, type, isDictionary } = layout
		const dictionary = isDictionary ? dictionaryOf(parts, blocks, rows) : null
		return [{ layout, parts, dictionary, head: headOf({ name, type: isDictionary ? dictionaryType : type }) }]
	})
	const [columnCount, rowCount] = [varint(columns.length + (stamp ? 1 : 0)), varint(rows)]
	const stampHead = stamp ? headOf(stamp) : Buffer.alloc(0)
	let bytes = columnCount.length + rowCount.length + stampHead.length + (stamp ? 8 * rows : 0)
	for (const { layout, parts, head, dictionary } of columns) {
		slices?.pause()
		bytes += head.length
		if (dictionary) bytes += dictionary.bytes
		else
			for (const [i, stream] of layout.streams.entries())
				for (const [n, part] of parts.entries())
					bytes += nativeBytes(stream, part, i, (blocks[n] as Block).rows)
	}
	const taken = take(bytes)
	const target = Buffer.from(taken.buffer, taken.byteOffset, taken.length)
	let at = columnCount.copy(target, 0)
	at += rowCount.copy(target, at)
	for (const { layout, parts, head, dictionary } of columns) {
		slices?.pause()
		at += head.copy(target, at)
		if (dictionary) at = writeDictionary(target, at, dictionary)
		else
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

/** A column in the engine's format for `LowCardinality(String)`. */
interface Dictionary {
	/** Each text once, preceded by its length. */
	texts: readonly Buffer[]
	/** The number of the text of each row, in the fewest bytes that hold all of them. */
	numbers: Buffer
	/** 0, 1 or 2 for numbers of one, two or four bytes. */
	width: number
	/** Size of the whole column. */
	bytes: number
}

function dictionaryOf(
	parts: readonly (BlockColumn | undefined)[],
	blocks: readonly Block[],
	rows: number,
): Dictionary {
	const known = new Map<string, number>()
	const texts: Buffer[] = []
	const numbers = new Uint32Array(rows)
	const numberOf = (text: Buffer) => {
		const key = text.toString('latin1')
		const found = known.get(key)
		if (found !== undefined) return found
		known.set(key, texts.length)
		return texts.push(text) - 1
	}
	let at = 0
	for (const [n, part] of parts.entries()) {
		const end = at + (blocks[n] as Block).rows
		const bytes = part?.streams[0] ?? noText
		if (!part || part.isSame) numbers.fill(numberOf(bytes), at, end)
		else numberRows(new ValueReader(bytes), numbers.subarray(at, end), numberOf)
		at = end
	}
	const width = texts.length <= 0x100 ? 0 : texts.length <= 0x1_0000 ? 1 : 2
	const Numbers = numberTypes[width] as (typeof numberTypes)[number]
	const textBytes = texts.reduce((sum, { length }) => sum + length, 0)
	const written = Buffer.from(new Numbers(numbers).buffer)
	return { texts, numbers: written, width, bytes: 4 * 8 + textBytes + written.length }
}

/** The texts of neighbouring rows are mostly the same, so each is compared with the one before it first. */
function numberRows(reader: ValueReader, numbers: Uint32Array, numberOf: (text: Buffer) => number): void {
	let last: Buffer = noText.subarray(0, 0)
	let number = 0
	for (let row = 0; row < numbers.length; row++) {
		const text = reader.encodedText()
		if (!text.equals(last)) number = numberOf(text)
		last = text
		numbers[row] = number
	}
}

function writeDictionary(target: Buffer, start: number, { texts, numbers, width }: Dictionary): number {
	let at = target.writeBigUInt64LE(dictionaryVersion, start)
	at = target.writeBigUInt64LE(ownTexts | BigInt(width), at)
	at = target.writeBigUInt64LE(BigInt(texts.length), at)
	for (const text of texts) at += text.copy(target, at)
	at = target.writeBigUInt64LE(BigInt(numbers.length >> width), at)
	return at + numbers.copy(target, at)
}

const dictionaryType = 'LowCardinality(String)'
const numberTypes = [Uint8Array, Uint16Array, Uint32Array] as const
/** The length of an empty text. */
const noText = Buffer.alloc(1)
const dictionaryVersion = 1n
/** The texts come with the block, and replace those of earlier blocks. */
const ownTexts = 0x600n

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
