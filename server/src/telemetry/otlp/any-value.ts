import type { AttributeValue } from '../span-row.ts'
import { deepest, Rejected, reasons } from './rejections.ts'
import type { WireReader } from './wire-reader.ts'

/** The fields of `AnyValue` by their tag on the wire. */
export const valueTag = {
	string: 0x0a,
	bool: 0x10,
	int: 0x18,
	double: 0x21,
	array: 0x2a,
	kvlist: 0x32,
	bytes: 0x3a,
} as const

/** Reads the message `AnyValue` that fills the reader, up to its end. */
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
		else if (tag === valueTag.array) value = inField(r, () => readArray(r, depth + 1))
		else if (tag === valueTag.kvlist) value = inField(r, () => readKvlist(r, depth + 1))
		else r.skip(tag)
	}
	return value
}

/** Reads `ArrayValue`. */
export function readArray(r: WireReader, depth: number): AttributeValue[] {
	const values: AttributeValue[] = []
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag === 0x0a) values.push(inField(r, () => readAnyValue(r, depth)))
		else r.skip(tag)
	}
	return values
}

/** Reads `KeyValueList`. */
export function readKvlist(r: WireReader, depth: number): { [key: string]: AttributeValue } {
	const object: { [key: string]: AttributeValue } = Object.create(null)
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag !== 0x0a) r.skip(tag)
		else {
			const [key, value] = inField(r, () => readKeyValue(r, depth))
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
		else if (tag === 0x12) value = inField(r, () => readAnyValue(r, depth))
		else r.skip(tag)
	}
	return [key, value]
}

export function readText(r: WireReader): string {
	const start = r.skipField()
	return r.bytes.toString('utf8', start, r.position)
}

/** Runs `read` on the content of a length-delimited field, then goes on behind it. */
export function inField<T>(r: WireReader, read: () => T): T {
	const outerEnd = r.end
	const start = r.skipField()
	const end = r.position
	r.enter(start, end)
	const result = read()
	r.enter(end, outerEnd)
	return result
}
