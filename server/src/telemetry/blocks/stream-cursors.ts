import type { BlockColumn } from './block.ts'

/** Iterates over texts that are preceded by their lengths in LEB128. */
class TextCursor {
	readonly bytes: Buffer
	at = 0

	constructor(bytes: Buffer) {
		this.bytes = bytes
	}

	/** The length of the next text; moves to its start. */
	length(): number {
		let length = 0
		for (let shift = 1; ; shift *= 128) {
			const byte = this.bytes[this.at++] ?? 0
			length += (byte & 127) * shift
			if (byte < 128) return length
		}
	}

	skip(): void {
		const length = this.length()
		this.at += length
	}
}

/** The values of a text column, row by row. A repeated value is not decoded again. */
export class Texts {
	readonly #cursor: TextCursor | null
	#last = ''
	#start = 0
	#length = 0

	/** If the column is missing, all values are empty. */
	constructor(column: BlockColumn | undefined) {
		this.#cursor = column ? new TextCursor(column.streams[0] as Buffer) : null
		if (!column?.isSame) return
		this.#last = this.next()
		this.#cursor = null
	}

	next(): string {
		const cursor = this.#cursor
		if (!cursor) return this.#last
		const length = cursor.length()
		const start = cursor.at
		cursor.at += length
		if (length !== this.#length || !isSame(cursor.bytes, start, this.#start, length))
			this.#last = cursor.bytes.toString('utf8', start, start + length)
		this.#start = start
		this.#length = length
		return this.#last
	}
}

function isSame(bytes: Buffer, a: number, b: number, length: number): boolean {
	for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false
	return true
}

/** Whether rows have an attribute whose name satisfies a predicate. Rows with the same names in the same order are checked once. */
export class NamedRows {
	readonly #counts: Buffer
	readonly #cursor: TextCursor
	readonly #holds: (name: string) => boolean
	readonly #isSame: boolean
	#row = 0
	#decided = false
	#start = 0
	#end = 0

	constructor(column: BlockColumn | undefined, holds: (name: string) => boolean) {
		const [counts, names] = column?.streams ?? []
		this.#counts = counts ?? Buffer.alloc(0)
		this.#cursor = new TextCursor(names ?? Buffer.alloc(0))
		this.#holds = holds
		this.#isSame = false
		if (column && !column.isSame) return
		if (column) this.#decided = this.next()
		this.#isSame = true
	}

	next(): boolean {
		if (this.#isSame) return this.#decided
		const cursor = this.#cursor
		const start = cursor.at
		for (let left = this.#counts.readUInt32LE(4 * this.#row++); left > 0; left--) cursor.skip()
		const isKnown =
			cursor.at - start === this.#end - this.#start &&
			cursor.bytes.compare(cursor.bytes, this.#start, this.#end, start, cursor.at) === 0
		if (!isKnown) this.#decided = this.#holdsIn(start, cursor.at)
		this.#start = start
		this.#end = cursor.at
		return this.#decided
	}

	#holdsIn(start: number, end: number): boolean {
		const names = new TextCursor(this.#cursor.bytes)
		names.at = start
		while (names.at < end) {
			const length = names.length()
			if (this.#holds(names.bytes.toString('utf8', names.at, names.at + length))) return true
			names.at += length
		}
		return false
	}
}

/** Fixed-length values as texts that can be compared. */
export class Ids {
	readonly #bytes: Buffer | undefined
	readonly #width: number
	readonly #step: number
	readonly #none: string

	constructor(column: BlockColumn | undefined, width: number) {
		this.#bytes = column?.streams[0]
		this.#width = width
		this.#step = column?.isSame ? 0 : width
		this.#none = '\0'.repeat(width)
	}

	/** Whether a row has the same value as the previous one; faster than comparing texts. */
	repeats(row: number): boolean {
		if (row === 0) return false
		const start = row * this.#step
		return !this.#bytes || isSame(this.#bytes, start, start - this.#step, this.#width)
	}

	at(row: number): string {
		const start = row * this.#step
		return this.#bytes?.toString('latin1', start, start + this.#width) ?? this.#none
	}
}

/** 64-bit numbers of nanoseconds. */
export class Nanoseconds {
	readonly #view: DataView | null
	readonly #step: number

	constructor(column: BlockColumn | undefined) {
		const bytes = column?.streams[0]
		this.#view = bytes ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) : null
		this.#step = column?.isSame ? 0 : 8
	}

	/** Exact up to 104 days. */
	at(row: number): number {
		const view = this.#view
		if (!view) return 0
		const place = row * this.#step
		return view.getInt32(place + 4, true) * 4_294_967_296 + view.getUint32(place, true)
	}

	/** In milliseconds, also exact for present-day timestamps: one unit of the upper half is 4,294.967296 ms. */
	msAt(row: number): number {
		const view = this.#view
		if (!view) return 0
		const place = row * this.#step
		const upper = view.getInt32(place + 4, true)
		return upper * 4294 + Math.floor((upper * 967_296 + view.getUint32(place, true)) / 1e6)
	}
}

/** Lists of 64-bit numbers, row by row. */
export class Lists {
	readonly #counts: Buffer | undefined
	readonly #values: Buffer | undefined
	readonly #isSame: boolean
	#at = 0

	constructor(column: BlockColumn | undefined) {
		;[this.#counts, this.#values] = column?.streams ?? []
		this.#isSame = column?.isSame === true
	}

	/** The numbers of this row, as bytes. Rows must be read in order. */
	next(row: number): Buffer | null {
		if (!this.#counts || !this.#values) return null
		const start = this.#isSame ? 0 : this.#at
		this.#at = start + 8 * this.#counts.readUInt32LE(this.#isSame ? 0 : 4 * row)
		return this.#values.subarray(start, this.#at)
	}
}
