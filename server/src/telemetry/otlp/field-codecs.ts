import type { Attributes, AttributeValue } from '../span-row.ts'
import { inField, readAnyValue, readKeyValue, readText } from './any-value.ts'
import {
	attributesIn,
	booleanIn,
	doubleIn,
	enumIn,
	int32In,
	int64In,
	objectIn,
	textIn,
	uint32In,
	uint64In,
	valueIn,
} from './json-fields.ts'
import type { Codec } from './message-codec.ts'

/** The types of OTLP's fields. */
export const text: Codec<string> = { wire: 2, absent: () => '', read: readText, parse: textIn }

export const bool: Codec<boolean> = {
	wire: 0,
	absent: () => false,
	read: (r) => Number(r.int64()) !== 0,
	parse: booleanIn,
}

export const uint32: Codec<number> = { wire: 0, absent: () => 0, read: (r) => r.uint32(), parse: uint32In }

/** Zigzag: small negative numbers stay short. */
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

/** The number of an enum; some clients send its names, which OTLP does not have. */
export function enumOf(names: Readonly<Record<string, number>>): Codec<number> {
	return {
		wire: 0,
		absent: () => 0,
		read: (r) => r.uint32(),
		parse: (json, field) => enumIn(json, field, names),
	}
}

/** An id in lower-case hex. One that is missing, all zero or of another length is none, as OTLP asks outside of spans: ''. */
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
	read: (r) => inField(r, () => readAnyValue(r)),
	parse: (json, field) => valueIn(objectIn(json, field) ?? {}),
}

/** A repeated key keeps its first place and takes its last value. */
export const attributes: Codec<Attributes> = {
	wire: 2,
	absent: () => new Map(),
	read: (r) => new Map([inField(r, () => readKeyValue(r))]),
	add: (to, r) => void (to as Map<string, AttributeValue>).set(...inField(r, () => readKeyValue(r))),
	parse: (json, field) => new Map(attributesIn(json, field)),
}
