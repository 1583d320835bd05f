import type { Attributes, AttributeValue } from '../span-row.ts'
import { Rejected } from './decoded.ts'
import {
	attributesIn,
	booleanIn,
	doubleIn,
	enumIn,
	int32In,
	int64In,
	type Json,
	objectIn,
	objectsIn,
	textIn,
	uint32In,
	uint64In,
	valueIn,
} from './json-fields.ts'
import {
	inField,
	joinedParts,
	Malformed,
	readAnyValue,
	readKeyValue,
	readText,
	WireReader,
} from './wire-reader.ts'

/** Reads a type of field from both encodings. */
interface Codec<T> {
	/** Its wire type in protobuf. */
	wire: 0 | 1 | 2 | 5
	absent(): T
	/** Reads the value at the reader's position. */
	read(r: WireReader): T
	/** Converts a JSON value that is not null. Throws `Malformed`, naming the field. */
	parse(json: Json, field: string): T
	/** For repeated fields: adds the value at the reader's position, which has this wire type. */
	add?(to: T, r: WireReader, wireType: number): void
	/** For messages: reads the value from the reader's current range. */
	readWhole?(r: WireReader): T
	/** For fields that are read lazily: the value in the bytes from `start` to `end` of the message. */
	over?(bytes: Buffer, start: number, end: number, tag: number): T
}

export type Of<C> = C extends Codec<infer T> ? T : never
// biome-ignore lint/suspicious/noExplicitAny: the fields of a message have types of their own
type Fields = Record<string, readonly [number: number, codec: Codec<any>]>
type Message<F extends Fields> = { [Name in keyof F]: Of<F[Name][1]> }

interface KnownField {
	name: string
	codec: Codec<unknown>
	/** Of its own for each message; 0 for other fields. */
	bit: number
}

/** A message, whose fields are declared once for protobuf and JSON. Unknown fields are skipped in both. */
export function message<F extends Fields>(
	fields: F,
): Codec<Message<F>> & { readWhole(r: WireReader): Message<F> } {
	const named = Object.entries(fields).map(([name, [number, codec]]) => ({ name, number, codec }))
	const byTag = new Map<number, KnownField>()
	for (const [at, { name, number, codec }] of named.entries()) {
		const known = { name, codec, bit: codec.readWhole ? 1 << at : 0 }
		byTag.set((number << 3) | codec.wire, known)
		// Numbers of repeated fields may be packed into one field or be separate.
		if (codec.add) byTag.set((number << 3) | 2, known)
	}
	const absent = () =>
		Object.fromEntries(named.map(({ name, codec }) => [name, codec.absent()])) as Message<F>
	const readWhole = (r: WireReader) => {
		const value: Record<string, unknown> = absent()
		const { position: start } = r
		// The bits of the messages that were read, and of those that came in parts.
		let seen = 0
		let inParts = 0
		for (const { name, number, codec } of named)
			if (codec.over) value[name] = codec.over(r.bytes, r.position, r.end, (number << 3) | 2)
		while (r.hasMore()) {
			const tag = r.uint32()
			const known = byTag.get(tag)
			if (!known || known.codec.over) r.skip(tag)
			else if (known.codec.add) known.codec.add(value[known.name], r, tag & 7)
			else {
				value[known.name] = known.codec.read(r)
				inParts |= seen & known.bit
				seen |= known.bit
			}
		}
		if (inParts !== 0)
			for (const [tag, { name, codec, bit }] of byTag)
				if ((inParts & bit) !== 0) value[name] = codec.readWhole?.(joinedParts(r, start, tag))
		return value as Message<F>
	}
	const parse = (json: Json) => {
		const value: Record<string, unknown> = absent()
		for (const { name, codec } of named)
			if ((json[name] ?? null) !== null) value[name] = codec.parse(json, name)
		return value as Message<F>
	}
	return {
		wire: 2,
		absent,
		read: (r) => inField(r, readWhole),
		readWhole,
		parse: (json, field) => parse(field === '' ? json : (objectIn(json, field) ?? {})),
	}
}

/** A field whose absence differs from its default value. */
export function optional<T>(codec: Codec<T>): Codec<T | null> {
	return { ...codec, absent: () => null } as Codec<T | null>
}

/** A list of messages that are few or small. */
export function list<T>(codec: Codec<T>): Codec<T[]> {
	return {
		wire: 2,
		absent: () => [],
		read: (r) => [codec.read(r)],
		add: (to, r) => to.push(codec.read(r)),
		parse: (json, field) => objectsIn(json, field).map((item) => codec.parse(item, '')),
	}
}

/** A list of numbers, packed or not. */
export function numbers<T>(codec: Codec<T>): Codec<T[]> {
	return {
		wire: codec.wire,
		absent: () => [],
		read: (r) => [codec.read(r)],
		add: (to, r, wireType) => {
			if (wireType !== 2) to.push(codec.read(r))
			else
				inField(r, () => {
					while (r.hasMore()) to.push(codec.read(r))
				})
		},
		parse: (json, field) => {
			const values = json[field]
			if (!Array.isArray(values)) throw new Malformed(`${field} is not a list`)
			return values.map((value) => codec.parse({ [field]: value }, field))
		},
	}
}

/** Messages that are read lazily one by one, so that a body of millions never exists as objects. */
export function each<T>(codec: Codec<T>): Codec<Iterable<T>> {
	return lazily(codec, (read) => read())
}

/** The same for independent items: a malformed one is returned as its rejection, and iteration continues. */
export function items<T>(codec: Codec<T>): Codec<Iterable<T | Rejected>> {
	return lazily(codec, (read) => {
		try {
			return read()
		} catch (error) {
			if (error instanceof Rejected) return error
			if (error instanceof Malformed) return new Rejected(error.message)
			throw error
		}
	})
}

function lazily<T, R>(codec: Codec<T>, visit: (read: () => T) => R): Codec<Iterable<R>> {
	return {
		wire: 2,
		absent: () => [],
		read: () => [],
		parse: (json, field) => {
			const objects = objectsIn(json, field)
			return iterable(function* () {
				for (const item of objects) yield visit(() => codec.parse(item, ''))
			})
		},
		over: (bytes, start, end, wanted) =>
			iterable(function* () {
				const r = new WireReader(bytes, start, end)
				while (r.hasMore()) {
					const tag = r.uint32()
					if (tag !== wanted) r.skip(tag)
					else {
						const at = r.position
						r.skipField()
						const inner = new WireReader(bytes, at, r.position)
						yield visit(() => codec.read(inner))
					}
				}
			}),
	}
}

function iterable<T>(iterate: () => Iterator<T>): Iterable<T> {
	return { [Symbol.iterator]: iterate }
}

/** The types of OTLP's fields. */
export const text: Codec<string> = { wire: 2, absent: () => '', read: readText, parse: textIn }

export const bool: Codec<boolean> = {
	wire: 0,
	absent: () => false,
	read: (r) => Number(r.int64()) !== 0,
	parse: booleanIn,
}

export const uint32: Codec<number> = { wire: 0, absent: () => 0, read: (r) => r.uint32(), parse: uint32In }

/** Zigzag-encoded: small negative numbers stay short. */
export const sint32: Codec<number> = {
	wire: 0,
	absent: () => 0,
	read: (r) => {
		const value = r.uint32()
		return (value >>> 1) ^ -(value & 1)
	},
	parse: int32In,
}

export const fixed32: Codec<number> = {
	wire: 5,
	absent: () => 0,
	read: (r) => r.bytes.readUInt32LE(r.skipBytes(4)),
	parse: uint32In,
}

export const uint64: Codec<bigint> = {
	wire: 0,
	absent: () => 0n,
	read: (r) => BigInt.asUintN(64, BigInt(r.int64())),
	parse: uint64In,
}

export const fixed64: Codec<bigint> = {
	wire: 1,
	absent: () => 0n,
	read: (r) => r.bytes.readBigUInt64LE(r.skipBytes(8)),
	parse: uint64In,
}

export const sfixed64: Codec<bigint> = {
	wire: 1,
	absent: () => 0n,
	read: (r) => r.bytes.readBigInt64LE(r.skipBytes(8)),
	parse: int64In,
}

export const double: Codec<number> = {
	wire: 1,
	absent: () => 0,
	read: (r) => r.bytes.readDoubleLE(r.skipBytes(8)),
	parse: doubleIn,
}

/** The number of an enum value. Names are not valid in OTLP, but some clients send them. */
export function enumOf(names: Readonly<Record<string, number>>): Codec<number> {
	return {
		wire: 0,
		absent: () => 0,
		read: (r) => r.uint32(),
		parse: (json, field) => enumIn(json, field, names),
	}
}

/**
 * An id in lower-case hex. As OTLP requires outside of spans, an id that is missing, all zero or of another length counts as
 * absent: ''.
 */
export function idOf(bytes: number): Codec<string> {
	const valid = (digits: string) => (digits.length === 2 * bytes && !/^0*$/.test(digits) ? digits : '')
	return {
		wire: 2,
		absent: () => '',
		read: (r) => {
			const start = r.skipField()
			return r.position - start === bytes ? valid(r.bytes.toString('hex', start, r.position)) : ''
		},
		parse: (json, field) => {
			const digits = textIn(json, field).toLowerCase()
			return /^[0-9a-f]*$/.test(digits) ? valid(digits) : ''
		},
	}
}

export const anyValue: Codec<AttributeValue> = {
	wire: 2,
	absent: () => null,
	read: (r) => inField(r, readAnyValue),
	parse: (json, field) => valueIn(objectIn(json, field) ?? {}),
}

/** A repeated key keeps its first position and takes its last value. */
export const attributes: Codec<Attributes> = {
	wire: 2,
	absent: () => new Map(),
	read: (r) => new Map([inField(r, readKeyValue)]),
	add: (to, r) => void (to as Map<string, AttributeValue>).set(...inField(r, readKeyValue)),
	parse: (json, field) => new Map(attributesIn(json, field)),
}
