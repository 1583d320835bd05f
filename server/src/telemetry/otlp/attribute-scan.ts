import { attributeText, doubleText } from '../attribute-text.ts'
import type { ColumnWriter } from '../blocks/column-writer.ts'
import { hashOf, hotNumber, isFigure } from '../normalise/map-attributes.ts'
import { type HotValues, newHotValues } from '../normalise/names.ts'
import { type Redactor, redactedKey } from '../redaction/redactor.ts'
import { keyedNumber } from '../rollups/call-keys.ts'
import type { RowWriter } from '../row-writer.ts'
import type { AttributeValue } from '../span-row.ts'
import { readArray, readKvlist, valueTag, type WireReader } from './wire-reader.ts'

/** The key of the mark that lists what was redacted. */
const markKey = Buffer.from(redactedKey)
const markHash = hashOf(markKey, 0, markKey.length)

const typeNames: Record<number, string> = {
	0: 'empty',
	[valueTag.bool]: 'bool',
	[valueTag.int]: 'int',
	[valueTag.double]: 'double',
	[valueTag.array]: 'array',
	[valueTag.kvlist]: 'kvlist',
	[valueTag.bytes]: 'bytes',
}

/** Up to this many keys, comparing hashes one by one finds a repeated key faster than a map. */
const maxCompared = 64

/** For spans whose attributes are written unchanged. */
const nothing: Map<number, AttributeValue> = new Map()

/**
 * The attributes of one span as ranges of the body; reused for the next span. A repeated key keeps its first position and takes its
 * last value, as in a Map. Spans of a body usually have the keys of the previous span in the same order; what is known of a key is
 * then reused.
 */
export class AttributeScan {
	/** The values from which columns are derived. */
	readonly hot: HotValues = newHotValues()
	private readonly r: WireReader
	private count = 0
	private typedCount = 0
	/** The numbers of the hot values that are present, at the beginning of the array. */
	private hotNumbers = new Int16Array(64)
	private hotCount = 0
	/** Whether an attribute describes what the span is about, and not only an HTTP call. */
	describesOperation = false
	private keyStarts = new Int32Array(64)
	private keyEnds = new Int32Array(64)
	private hashes = new Int32Array(64)
	/** The `hotNumber` of each key. */
	private numbers = new Int16Array(64)
	/** The `keyedNumber` of each key. */
	keyed = new Int8Array(64)
	/** 1 if the redactor needs the value. */
	private asked = new Uint8Array(64)
	/** The tag of the value's field; 0 if it is empty. */
	private tags = new Uint8Array(64)
	private starts = new Int32Array(64)
	private ends = new Int32Array(64)
	private readonly redactor: Redactor
	/** Indexes of attributes that must be redacted before they are written. */
	private readonly concerned: number[] = []
	private many: Map<string, number> | null = null
	/** Number of keys of the previous span, and whether all keys so far are the same. */
	private before = 0
	private isAsBefore = false
	/** Whether the span was read and written completely. What was written of another one is discarded with its row. */
	private isWhole = false
	/** Identifies the keys and value types of all attributes: equal ones have the same object. */
	private form = {}
	/** Where the keys of the previous span were written, if nothing was written after them. */
	private readonly written = { keys: null as RowWriter | null, start: 0, end: 0 }

	constructor(r: WireReader, redactor: Redactor) {
		this.r = r
		this.redactor = redactor
	}

	reset(): void {
		for (let i = 0; i < this.hotCount; i++) this.hot[this.hotNumbers[i] as number] = undefined
		this.hotCount = 0
		this.describesOperation = false
		this.before = this.count
		this.isAsBefore = this.isWhole
		this.isWhole = false
		if (!this.isAsBefore) this.form = {}
		this.count = 0
		this.typedCount = 0
		// Setting an array's length is a call into native code, and the array is usually empty.
		if (this.concerned.length > 0) this.concerned.length = 0
		this.many = null
	}

	/** Reads the `KeyValue` at the reader's position. */
	add(): void {
		const { r } = this
		const outerEnd = r.end
		const start = r.skipField()
		const end = r.position
		r.enter(start, end)
		let keyStart = start
		let keyEnd = start
		let valueStart = start
		let valueEnd = start
		while (r.position < end) {
			const tag = r.uint32()
			if (tag === 0x0a) {
				keyStart = r.skipField()
				keyEnd = r.position
			} else if (tag === 0x12) {
				valueStart = r.skipField()
				valueEnd = r.position
			} else r.skip(tag)
		}
		const index = this.placeOf(keyStart, keyEnd)
		r.enter(valueStart, valueEnd)
		this.readValue(index)
		const isConcerned = this.asked[index] === 1
		if (isConcerned && !this.concerned.includes(index)) this.concerned.push(index)
		const number = this.numbers[index] as number
		if (number >= 0) this.noteHot(number, index, isConcerned)
		r.enter(end, outerEnd)
	}

	private noteHot(number: number, index: number, isConcerned: boolean): void {
		const value = this.valueAt(index)
		if (this.hot[number] === undefined) {
			if (this.hotCount === this.hotNumbers.length)
				this.hotNumbers = grown(this.hotNumbers, new Int16Array(this.hotCount * 2))
			this.hotNumbers[this.hotCount++] = number
		}
		this.hot[number] = isConcerned ? this.redacted(index, value, new Set()) : value
		this.describesOperation ||= !isFigure(number)
	}

	private placeOf(start: number, end: number): number {
		const { bytes } = this.r
		const next = this.count
		if (this.isAsBefore && next < this.before && this.isSameKey(next, start, end)) {
			this.keyStarts[next] = start
			this.keyEnds[next] = end
			return this.count++
		}
		if (this.isAsBefore) this.differ()
		const hash = hashOf(bytes, start, end)
		const index = this.place(hash, start, end)
		this.numbers[index] = hotNumber(bytes, hash, start, end)
		this.keyed[index] = keyedNumber(bytes, start, end)
		this.asked[index] = this.redactor.concernsAt(bytes, start, end) ? 1 : 0
		return index
	}

	/** The keys or value types differ from those of the previous span. */
	private differ(): void {
		this.isAsBefore = false
		this.form = {}
	}

	/** Writes the map of texts and the map of types, with a mark of what was redacted in them and elsewhere in the span. */
	write(row: number, texts: ColumnWriter, types: ColumnWriter, found: Set<string>): void {
		const isAsItCame = this.concerned.length === 0 && found.size === 0
		const redacted = isAsItCame ? nothing : this.redactAll(found)
		const added = found.size > 0 && !this.markThere(found, redacted) ? 1 : 0
		if (this.count < this.before) this.differ()
		if (this.count + added === 0) {
			// The keys that were written last are no longer those of the previous span.
			this.written.keys = null
			this.isWhole = true
			return
		}
		texts.begin(row).uint32(this.count + added)
		const [, keys, values] = texts.streams as [RowWriter, RowWriter, RowWriter]
		this.writeKeys(keys)
		if (redacted.size === 0) for (let i = 0; i < this.count; i++) this.writeValue(values, i)
		else this.writeRedacted(values, redacted)
		if (added) {
			this.keyed[this.count] = -1
			keys.text(redactedKey)
			values.text(attributeText([...found]))
		}
		if (this.typedCount + added > 0) this.writeTypes(row, types, added === 1)
		this.isWhole = true
	}

	/** Copies the encoded keys of the previous span. */
	private writeKeys(keys: RowWriter): void {
		const { written } = this
		const start = keys.position
		if (this.isAsBefore && written.keys === keys && written.end === start)
			keys.again(written.start, written.end)
		else for (let i = 0; i < this.count; i++) this.writeKey(keys, i)
		written.keys = keys
		written.start = start
		written.end = keys.position
	}

	private writeRedacted(values: RowWriter, redacted: ReadonlyMap<number, AttributeValue>): void {
		for (let i = 0; i < this.count; i++) {
			const value = redacted.get(i)
			if (value === undefined) this.writeValue(values, i)
			else values.text(attributeText(value))
		}
	}

	private writeTypes(row: number, types: ColumnWriter, isMarked: boolean): void {
		const token = isMarked ? null : this.form
		if (types.repeats(row, token)) return
		types.begin(row, token).uint32(this.typedCount + (isMarked ? 1 : 0))
		const [, keys, values] = types.streams as [RowWriter, RowWriter, RowWriter]
		for (let i = 0; i < this.count && this.typedCount > 0; i++) {
			const tag = this.tags[i] as number
			if (tag === valueTag.string) continue
			this.writeKey(keys, i)
			values.text(typeNames[tag] as string)
		}
		if (!isMarked) return
		keys.text(redactedKey)
		values.text('array')
	}

	/** Extends a mark that the sender set, after redacting that; false if there is none. */
	private markThere(found: ReadonlySet<string>, redacted: Map<number, AttributeValue>): boolean {
		const index = this.compare(markHash, markKey)
		if (index < 0) return false
		const before = redacted.get(index) ?? this.valueAt(index)
		redacted.set(index, [...new Set([...(Array.isArray(before) ? before : []), ...found])])
		if (this.tags[index] === valueTag.string) this.typedCount++
		this.tags[index] = valueTag.array
		this.form = {}
		return true
	}

	/** The values that change, by index. */
	private redactAll(found: Set<string>): Map<number, AttributeValue> {
		const changed = new Map<number, AttributeValue>()
		for (const index of this.concerned) {
			const value = this.valueAt(index)
			const redacted = this.redacted(index, value, found)
			if (redacted !== value) changed.set(index, redacted)
		}
		return changed
	}

	private redacted(index: number, value: AttributeValue, found: Set<string>): AttributeValue {
		const key = this.r.bytes.toString('utf8', this.keyStarts[index], this.keyEnds[index])
		return this.redactor.attribute(key, value, found)
	}

	private writeKey(w: RowWriter, index: number): void {
		w.utf8(this.r, this.keyStarts[index] as number, this.keyEnds[index] as number)
	}

	/** The index of a key that was seen before, or a new one. */
	private place(hash: number, start: number, end: number): number {
		const known =
			this.count < maxCompared ? this.compare(hash, this.r.bytes, start, end) : this.lookUp(start, end)
		if (known >= 0) {
			if (this.tags[known] !== valueTag.string) this.typedCount--
			return known
		}
		if (this.count === this.tags.length) this.grow()
		this.hashes[this.count] = hash
		this.keyStarts[this.count] = start
		this.keyEnds[this.count] = end
		this.many?.set(this.keyText(start, end), this.count)
		return this.count++
	}

	/** The index of a key, or -1. */
	private compare(hash: number, key: Buffer, start = 0, end = key.length): number {
		for (let i = 0; i < this.count; i++) {
			if (this.hashes[i] === hash && this.isKey(i, key, start, end)) return i
		}
		return -1
	}

	private isKey(index: number, key: Buffer, start: number, end: number): boolean {
		const { bytes } = this.r
		const from = this.keyStarts[index] as number
		if ((this.keyEnds[index] as number) - from !== end - start) return false
		for (let i = start, j = from; i < end; i++, j++) if (key[i] !== bytes[j]) return false
		return true
	}

	/** The same for a key in this body, comparing four bytes at a time. */
	private isSameKey(index: number, start: number, end: number): boolean {
		const { view } = this.r
		let j = this.keyStarts[index] as number
		if ((this.keyEnds[index] as number) - j !== end - start) return false
		let i = start
		for (; i + 4 <= end; i += 4, j += 4) if (view.getInt32(i) !== view.getInt32(j)) return false
		for (; i < end; i++, j++) if (view.getUint8(i) !== view.getUint8(j)) return false
		return true
	}

	private lookUp(start: number, end: number): number {
		this.many ??= new Map(Array.from({ length: this.count }, (_, i) => [this.keyAt(i), i]))
		return this.many.get(this.keyText(start, end)) ?? -1
	}

	private keyAt(index: number): string {
		return this.keyText(this.keyStarts[index] as number, this.keyEnds[index] as number)
	}

	private keyText(start: number, end: number): string {
		return this.r.bytes.toString('latin1', start, end)
	}

	/** Notes the range of the reader's value. Of repeated values the last counts. */
	private readValue(index: number): void {
		const { r } = this
		let found = 0
		while (r.position < r.end) {
			const tag = r.uint32()
			if (tag > 0x3a || (typeNames[tag] === undefined && tag !== valueTag.string)) {
				r.skip(tag)
				continue
			}
			found = tag
			if ((tag & 7) === 2) this.starts[index] = r.skipField()
			else {
				this.starts[index] = r.position
				r.skip(tag)
			}
			this.ends[index] = r.position
		}
		if (this.isAsBefore && this.tags[index] !== found) this.form = {}
		this.tags[index] = found
		if (found !== valueTag.string) this.typedCount++
	}

	private writeValue(w: RowWriter, index: number): void {
		const tag = this.tags[index] as number
		const start = this.starts[index] as number
		if (tag === valueTag.string) w.utf8(this.r, start, this.ends[index] as number)
		else if (tag === valueTag.int) this.writeInt(w, index)
		else if (tag === valueTag.double) w.text(doubleText(this.r.bytes.readDoubleLE(start)))
		else w.text(attributeText(this.valueAt(index)))
	}

	private writeInt(w: RowWriter, index: number): void {
		const value = this.intAt(index)
		if (typeof value === 'number') w.decimal(value)
		else w.text(String(value))
	}

	private valueAt(index: number): AttributeValue {
		const { r } = this
		const tag = this.tags[index] as number
		const start = this.starts[index] as number
		const end = this.ends[index] as number
		if (tag === valueTag.string) return r.bytes.toString('utf8', start, end)
		if (tag === valueTag.int) return BigInt(this.intAt(index))
		if (tag === valueTag.bool) return Number(this.intAt(index)) !== 0
		if (tag === valueTag.double) return r.bytes.readDoubleLE(start)
		if (tag === valueTag.bytes) return r.bytes.subarray(start, end)
		if (tag === 0) return null
		return this.listAt(tag, start, end)
	}

	private listAt(tag: number, start: number, end: number): AttributeValue {
		const { position, end: outerEnd } = this.r
		this.r.enter(start, end)
		const list = tag === valueTag.array ? readArray(this.r, 1) : readKvlist(this.r, 1)
		this.r.enter(position, outerEnd)
		return list
	}

	private intAt(index: number): number | bigint {
		const { position, end: outerEnd } = this.r
		this.r.enter(this.starts[index] as number, this.ends[index] as number)
		const value = this.r.int64()
		this.r.enter(position, outerEnd)
		return value
	}

	private grow(): void {
		this.keyStarts = doubled(this.keyStarts)
		this.keyEnds = doubled(this.keyEnds)
		this.hashes = doubled(this.hashes)
		this.numbers = grown(this.numbers, new Int16Array(this.numbers.length * 2))
		this.keyed = grown(this.keyed, new Int8Array(this.keyed.length * 2))
		this.asked = grown(this.asked, new Uint8Array(this.asked.length * 2))
		this.starts = doubled(this.starts)
		this.ends = doubled(this.ends)
		this.tags = grown(this.tags, new Uint8Array(this.tags.length * 2))
	}
}

const doubled = (array: Int32Array<ArrayBuffer>) => grown(array, new Int32Array(array.length * 2))

function grown<Numbers extends Int32Array | Int16Array | Int8Array | Uint8Array>(
	array: Numbers,
	larger: Numbers,
): Numbers {
	larger.set(array)
	return larger
}
