import type { AttributeValue } from '../span-row.ts'
import { deepest, Rejected, reasons } from './decoded.ts'

/** The bytes are not a protobuf message of the expected type. */
export class Malformed extends Error {
	override name = 'Malformed'
}

const malformed = (what: string) => new Malformed(`The protobuf message is malformed: ${what}.`)
const deepestGroup = 64

/** Reads the protobuf wire format from one buffer. It allocates nothing: fields are ranges of the buffer. */
export class WireReader {
	readonly bytes: Buffer
	/** A view of the same bytes. */
	readonly view: DataView
	position: number
	end: number

	constructor(bytes: Buffer, start = 0, end = bytes.length) {
		this.bytes = bytes
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
		this.position = start
		this.end = end
	}

	/** Moves to another message in the same buffer. */
	enter(start: number, end: number): void {
		this.position = start
		this.end = end
	}

	hasMore(): boolean {
		return this.position < this.end
	}

	/** Reads a tag, a length, an enum or another number below 2^32. Higher bits are dropped, as protobuf requires. */
	uint32(): number {
		let value = 0
		for (let shift = 0; shift < 70; shift += 7) {
			if (this.position >= this.end) throw malformed('it ends inside a number')
			const byte = this.bytes[this.position++] as number
			if (shift < 32) value |= (byte & 127) << shift
			if (byte < 128) return value >>> 0
		}
		throw malformed('a number is too long')
	}

	/** Reads a signed 64-bit number; a plain number if that is exact. */
	int64(): number | bigint {
		let value = 0
		for (let factor = 1; factor <= 2 ** 42; factor *= 128) {
			if (this.position >= this.end) throw malformed('it ends inside a number')
			const byte = this.bytes[this.position++] as number
			value += (byte & 127) * factor
			if (byte < 128) return value
		}
		return this.rest64(value)
	}

	/** The bits above the first 49. */
	private rest64(low: number): bigint {
		let value = BigInt(low)
		for (let shift = 49n; shift < 70n; shift += 7n) {
			if (this.position >= this.end) throw malformed('it ends inside a number')
			const byte = this.bytes[this.position++] as number
			value |= BigInt(byte & 127) << shift
			if (byte < 128) return BigInt.asIntN(64, value)
		}
		throw malformed('a number is too long')
	}

	/** Skips `count` bytes; returns where they start. */
	skipBytes(count: number): number {
		const start = this.position
		if (count > this.end - start) throw malformed('it ends inside a field')
		this.position = start + count
		return start
	}

	/** Skips a length-delimited field; returns where its content starts. It ends at `position`. */
	skipField(): number {
		return this.skipBytes(this.uint32())
	}

	/** Skips a field. */
	skip(tag: number, depth = 0): void {
		if (tag >>> 3 === 0) throw malformed('a field has the number 0')
		const wireType = tag & 7
		if (wireType === 0) this.int64()
		else if (wireType === 1) this.skipBytes(8)
		else if (wireType === 2) this.skipField()
		else if (wireType === 3) this.skipGroup(tag, depth)
		else if (wireType === 5) this.skipBytes(4)
		else throw malformed('a field has an unknown type')
	}

	private skipGroup(start: number, depth: number): void {
		if (depth > deepestGroup) throw malformed('groups are nested too deep')
		while (this.hasMore()) {
			const tag = this.uint32()
			if (tag === start + 1) return
			this.skip(tag, depth + 1)
		}
		throw malformed('a group does not end')
	}
}

/** The tags of the fields of `AnyValue`. */
export const valueTag = {
	string: 0x0a,
	bool: 0x10,
	int: 0x18,
	double: 0x21,
	array: 0x2a,
	kvlist: 0x32,
	bytes: 0x3a,
} as const

/** Reads an `AnyValue` from the reader's current range, up to its end. */
export function readAnyValue(r: WireReader, depth = 0): AttributeValue {
	if (depth > deepest) throw new Rejected(reasons.tooDeep)
	let value: AttributeValue = null
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag === valueTag.string) value = readText(r)
		else if (tag === valueTag.int) value = BigInt(r.int64())
		else if (tag === valueTag.bool) value = Number(r.int64()) !== 0
		else if (tag === valueTag.double) value = r.bytes.readDoubleLE(r.skipBytes(8))
		else if (tag === valueTag.bytes) value = Buffer.from(r.bytes.subarray(r.skipField(), r.position))
		else if (tag === valueTag.array) value = inField(r, readArray, depth + 1)
		else if (tag === valueTag.kvlist) value = inField(r, readKvlist, depth + 1)
		else r.skip(tag)
	}
	return value
}

/** Reads `ArrayValue`. */
export function readArray(r: WireReader, depth = 0): AttributeValue[] {
	const values: AttributeValue[] = []
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag === 0x0a) values.push(inField(r, readAnyValue, depth))
		else r.skip(tag)
	}
	return values
}

/** Reads `KeyValueList`. */
export function readKvlist(r: WireReader, depth = 0): { [key: string]: AttributeValue } {
	const object: { [key: string]: AttributeValue } = Object.create(null)
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag !== 0x0a) r.skip(tag)
		else {
			const [key, value] = inField(r, readKeyValue, depth)
			object[key] = value
		}
	}
	return object
}

/** Reads `KeyValue`. */
export function readKeyValue(r: WireReader, depth = 0): [string, AttributeValue] {
	let key = ''
	let value: AttributeValue = null
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag === 0x0a) key = readText(r)
		else if (tag === 0x12) value = inField(r, readAnyValue, depth)
		else r.skip(tag)
	}
	return [key, value]
}

export function readText(r: WireReader): string {
	const start = r.skipField()
	return r.bytes.toString('utf8', start, r.position)
}

/** Runs `read` on the content of a length-delimited field, then continues after it. */
export function inField<T>(r: WireReader, read: (r: WireReader, depth?: number) => T, depth?: number): T {
	const outerEnd = r.end
	const start = r.skipField()
	const end = r.position
	r.enter(start, end)
	const result = read(r, depth)
	r.enter(end, outerEnd)
	return result
}

/**
 * A message of which a field came in several parts: as protobuf requires, the parts are read as one, in their order. `start` is where the
 * message that has the field begins; the reader is at its end.
 */
export function joinedParts({ bytes, end }: WireReader, start: number, wanted: number): WireReader {
	const parts: Buffer[] = []
	const r = new WireReader(bytes, start, end)
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag !== wanted) r.skip(tag)
		else parts.push(bytes.subarray(r.skipField(), r.position))
	}
	return new WireReader(Buffer.concat(parts))
}
