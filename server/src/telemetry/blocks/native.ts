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
		if (dictionary) at = dictionary.write(target, at)
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

/** A column in the engine's format for `LowCardinality(String)`: the texts, and the number of the text of each row. */
class Dictionary {
	readonly #numbers = new Map<string, number>()
	/** Each text, preceded by its length. */
	readonly #texts: Buffer[] = []
	readonly #rows: Uint32Array
	#filled = 0

	constructor(rows: number) {
		this.#rows = new Uint32Array(rows)
	}

	add(part: BlockColumn | undefined, rows: number): void {
		const end = this.#filled + rows
		const texts = part?.streams[0] ?? noText
		if (!part || part.isSame) this.#rows.fill(this.#numberOf(texts), this.#filled, end)
		else {
			const reader = new ValueReader(texts)
			let last = texts.subarray(0, 0)
			let number = 0
			for (let row = this.#filled; row < end; row++) {
				const text = reader.encodedText()
				if (!text.equals(last)) {
					number = this.#numberOf(text)
					last = text
				}
				this.#rows[row] = number
			}
		}
		this.#filled = end
	}

	#numberOf(text: Buffer): number {
		const key = text.toString('latin1')
		const known = this.#numbers.get(key)
		if (known !== undefined) return known
		this.#texts.push(text)
		this.#numbers.set(key, this.#texts.length - 1)
		return this.#texts.length - 1
	}

	/** Which of `numberTypes`. */
	get #width(): number {
		if (this.#texts.length <= 0x100) return 0
		return this.#texts.length <= 0x1_0000 ? 1 : 2
	}

	get bytes(): number {
		const texts = this.#texts.reduce((sum, { length }) => sum + length, 0)
		return 4 * 8 + texts + this.#rows.length * 2 ** this.#width
	}

	write(target: Buffer, start: number): number {
		let at = target.writeBigUInt64LE(dictionaryVersion, start)
		at = target.writeBigUInt64LE(ownTexts | BigInt(this.#width), at)
		at = target.writeBigUInt64LE(BigInt(this.#texts.length), at)
		for (const text of this.#texts) at += text.copy(target, at)
		at = target.writeBigUInt64LE(BigInt(this.#rows.length), at)
		const Numbers = numberTypes[this.#width] as (typeof numberTypes)[number]
		return at + Buffer.from(new Numbers(this.#rows).buffer).copy(target, at)
	}
}

function dictionaryOf(
	parts: readonly (BlockColumn | undefined)[],
	blocks: readonly Block[],
	rows: number,
): Dictionary {
	const dictionary = new Dictionary(rows)
	for (const [n, part] of parts.entries()) dictionary.add(part, (blocks[n] as Block).rows)
	return dictionary
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
