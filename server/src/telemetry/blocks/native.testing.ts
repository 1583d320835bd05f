import type { TestStore } from '../../platform/clickhouse/testing.ts'
import type { RowInsert } from '../recorder/insert-missing.ts'
import type { SpanRow } from '../span-row.ts'
import { type Block, type BlockColumn, readBlocks } from './block.ts'
import type { Stream } from './column-writer.ts'
import { toNative } from './native.ts'
import { encodeSpanBlock, spanLayouts, spansIn } from './span-block.ts'

/** The rows that the engine would store from a Native insert of the log. */
export function decodeNativeSpans({ rows: bytes }: Pick<RowInsert, 'rows'>): SpanRow[] {
	let at = 0
	const varint = () => {
		let value = 0
		for (let factor = 1; ; factor *= 128) {
			const byte = bytes.readUInt8(at++)
			value += (byte & 127) * factor
			if (byte < 128) return value
		}
	}
	const text = () => {
		const length = varint()
		at += length
		return bytes.toString('utf8', at - length, at)
	}
	const stream = ({ width }: Stream, count: number) => {
		const from = at
		if (width > 0) at += width * count
		else for (let value = 0; value < count; value++) text()
		return bytes.subarray(from, at)
	}
	/** Native stores the end offsets of elements; blocks store their counts. */
	const counts = (rows: number) => {
		const all = Buffer.alloc(rows * 4)
		let before = 0
		for (let row = 0; row < rows; row++, at += 8) {
			const end = Number(bytes.readBigUInt64LE(at))
			all.writeUInt32LE(end - before, row * 4)
			before = end
		}
		return { all, elements: before }
	}
	/** The text of each row, with its length before it. */
	const dictionary = () => {
		const width = Number(bytes.readBigUInt64LE(at + 8) & 0xffn)
		const texts = Number(bytes.readBigUInt64LE(at + 16))
		at += 24
		const values = Array.from({ length: texts }, () => stream({ role: 'values', width: 0 }, 1))
		const rows = Number(bytes.readBigUInt64LE(at))
		at += 8
		const number = () => {
			at += 2 ** width
			return bytes.readUIntLE(at - 2 ** width, 2 ** width)
		}
		return Buffer.concat(Array.from({ length: rows }, () => values[number()] as Buffer))
	}
	const columnCount = varint()
	const rows = varint()
	const columns = Array.from({ length: columnCount }, (): BlockColumn => {
		const name = text()
		text()
		const number = spanLayouts.findIndex((layout) => layout.name === name)
		const layout = spanLayouts[number]
		if (!layout) throw new Error(`There is no column ${name}.`)
		if (layout.isDictionary) return { number, isSame: false, streams: [dictionary()] }
		const [first, ...rest] = layout.streams as [Stream, ...Stream[]]
		if (first.role !== 'counts')
			return { number, isSame: false, streams: layout.streams.map((each) => stream(each, rows)) }
		const { all, elements } = counts(rows)
		return { number, isSame: false, streams: [all, ...rest.map((each) => stream(each, elements))] }
	})
	return spansIn({ rows, columns }, rows)
}

/** Spans as blocks in the format of the log, `size` rows per body. */
export function spanBlocksOf(rows: readonly SpanRow[], size: number): Block[] {
	const bodies = Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
		encodeSpanBlock(rows.slice(at * size, (at + 1) * size)),
	)
	return bodies.flatMap((body) => readBlocks(body, spanLayouts))
}

export async function insertSpanBlocks(
	store: TestStore['store'],
	blocks: readonly Block[],
	deduplicationToken: string,
): Promise<void> {
	await store.insertRowBinary({ ...insertOf(blocks), deduplicationToken })
}

/**
 * An insert of spans as the program sends them, with their view keys. Planning the expression of these keys would take the engine more
 * than half of the processor time of a small insert.
 */
export function spanInsert(rows: readonly SpanRow[]) {
	return insertOf(spanBlocksOf(rows, 1000))
}

function insertOf(blocks: readonly Block[]) {
	return {
		...{ table: 'spans', columns: spanLayouts.map(({ name }) => name), format: 'Native' as const },
		rows: Buffer.from(toNative(blocks, spanLayouts, (bytes) => Buffer.alloc(bytes))),
	}
}
