import { type Block, type BlockColumn, Unreadable } from './block.ts'
import type { ColumnLayout } from './column-layout.ts'

/** A value as JavaScript has it: numbers of 64 bits are bigints, fixed bytes are hex digits, maps are lists of pairs. */
export type BlockValue = string | number | bigint | null | readonly BlockValue[]

/** The values of each column for the first so many rows of a block. Throws `Unreadable`. */
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
