import { checkJsonBounds } from '../../platform/json/json-bounds.ts'
import { JsonFault, type JsonLimits } from '../../platform/json/json-scan.ts'
import type { AttributeValue } from '../span-row.ts'
import { deepest, Rejected, reasons } from './decoded.ts'
import { type Signal, signalNames, signals } from './signals.ts'
import { Malformed } from './wire-reader.ts'

/** A JSON object whose fields are not validated yet. */
export type Json = { readonly [field: string]: unknown }

const wrong = (field: string, expected: string) => new Malformed(`${field} is not ${expected}`)

/** The object in a field. In protobuf's JSON form, null is the same as absent. */
export function objectIn(json: Json, field: string): Json | null {
	const value = json[field] ?? null
	if (value !== null && (typeof value !== 'object' || Array.isArray(value))) throw wrong(field, 'an object')
	return value as Json | null
}

export function objectsIn(json: Json, field: string): readonly Json[] {
	const value = json[field] ?? []
	if (!Array.isArray(value)) throw wrong(field, 'a list')
	for (const item of value)
		if (typeof item !== 'object' || item === null || Array.isArray(item))
			throw wrong(field, 'a list of objects')
	return value
}

export function textIn(json: Json, field: string): string {
	const value = json[field] ?? ''
	if (typeof value !== 'string') throw wrong(field, 'text')
	return value.toWellFormed()
}

/** Lower-case hex digits in pairs; OTLP allows ids in either case. */
export function hexIn(json: Json, field: string): string {
	const digits = textIn(json, field)
	if (!/^([0-9a-fA-F]{2})*$/.test(digits)) throw wrong(field, 'hex')
	return digits.toLowerCase()
}

/** An unsigned 32-bit number. */
export function uint32In(json: Json, field: string): number {
	const value = Number(integerIn(json, field))
	if (value < 0 || value > 0xffff_ffff) throw wrong(field, 'an unsigned 32-bit number')
	return value
}

/** An unsigned 64-bit number, sent as number or text. */
export function uint64In(json: Json, field: string): bigint {
	const value = integerIn(json, field)
	if (value < 0n || value >= 1n << 64n) throw wrong(field, 'an unsigned 64-bit number')
	return value
}

/**
 * The number of an enum value. Names are not valid in OTLP, but some clients send them. A negative number, which no value has, is
 * the one that protobuf's bytes are read as.
 */
export function enumIn(json: Json, field: string, names: Readonly<Record<string, number>>): number {
	const value = json[field]
	const known = typeof value === 'string' && Object.hasOwn(names, value) ? names[value] : undefined
	if (known !== undefined) return known
	const number = Number(integerIn(json, field))
	return (number | 0) === number ? number >>> 0 : uint32In(json, field)
}

/** A signed 32-bit number. */
export function int32In(json: Json, field: string): number {
	const value = Number(integerIn(json, field))
	if ((value | 0) !== value) throw wrong(field, 'a 32-bit number')
	return value
}

/** A signed 64-bit number, sent as number or text. */
export function int64In(json: Json, field: string): bigint {
	const value = integerIn(json, field)
	if (BigInt.asIntN(64, value) !== value) throw wrong(field, 'a 64-bit number')
	return value
}

/** A number; NaN and the infinities are sent as text. */
export function doubleIn(json: Json, field: string): number {
	return double(json[field], field)
}

export function booleanIn(json: Json, field: string): boolean {
	return boolean(json[field], field)
}

function integerIn(json: Json, field: string): bigint {
	return toInteger(json[field] ?? 0, field)
}

function toInteger(value: unknown, field: string): bigint {
	if (typeof value === 'bigint') return value
	if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
	if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value)
	throw wrong(field, 'a whole number')
}

export function attributesIn(json: Json, field: string, depth = 0): [string, AttributeValue][] {
	return objectsIn(json, field).map((entry) => [
		textIn(entry, 'key'),
		valueIn(objectIn(entry, 'value') ?? {}, depth),
	])
}

/** A value of OTLP's JSON form (`AnyValue`). */
export function valueIn(json: Json, depth = 0): AttributeValue {
	if (depth > deepest) throw new Rejected(reasons.tooDeep)
	if (isGiven(json.stringValue)) return textIn(json, 'stringValue')
	if (isGiven(json.intValue)) return int64In(json, 'intValue')
	if (isGiven(json.doubleValue)) return doubleIn(json, 'doubleValue')
	if (isGiven(json.boolValue)) return booleanIn(json, 'boolValue')
	if (isGiven(json.bytesValue)) return bytesIn(json, 'bytesValue')
	const array = objectIn(json, 'arrayValue')
	if (array) return objectsIn(array, 'values').map((value) => valueIn(value, depth + 1))
	const kvlist = objectIn(json, 'kvlistValue')
	return kvlist ? toObject(attributesIn(kvlist, 'values', depth + 1)) : null
}

/** In protobuf's JSON form, null is the same as absent. */
export function isGiven(value: unknown): boolean {
	return value !== undefined && value !== null
}

function double(value: unknown, field: string): number {
	if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
	if (Number.isNaN(number) && value !== 'NaN') throw wrong(field, 'a number')
	return number
}

function boolean(value: unknown, field: string): boolean {
	if (typeof value !== 'boolean') throw wrong(field, 'true or false')
	return value
}

/** Bytes in either alphabet of base64. */
export function bytesIn(json: Json, field: string): Buffer {
	const value = json[field]
	if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) throw wrong(field, 'base64')
	return Buffer.from(value, 'base64')
}

function toObject(entries: [string, AttributeValue][]): { [key: string]: AttributeValue } {
	const object: { [key: string]: AttributeValue } = Object.create(null)
	for (const [key, value] of entries) object[key] = value
	return object
}

/**
 * Deeper than any OTLP value may be, which is limited separately; and more values than telemetry of this size ever contains. Many
 * histograms whose buckets are nearly all empty (`0,`) are fine up to a million values, which take as much memory as a large body.
 */
function limitsOf({ length }: Buffer): JsonLimits {
	const values = Math.max(1_000_000, Math.ceil(length / 6))
	return { depth: 512, values, containers: Math.max(10_000, Math.ceil(length / 12)) }
}

/** Parses a body of UTF-8 JSON. Integers that a float cannot represent become bigints. Throws `Malformed`. */
export function parseJsonBody(body: Buffer, signal: Signal): Json {
	const parsed = parse(body)
	if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
		throw new Malformed('The body is not a JSON object.')
	refuseOtherSignal(parsed as Json, signal)
	return parsed as Json
}

function refuseOtherSignal(request: Json, signal: Signal): void {
	if (request[signals[signal].requestField] !== undefined) return
	const other = signalNames.find((name) => request[signals[name].requestField])
	if (other) throw new Malformed(`This is a ${other} request, and this path takes ${signal}.`)
}

function parse(body: Buffer): unknown {
	if (body.length === 0) throw new Malformed('The body is not JSON: it is empty.')
	try {
		const { hasLongNumber } = checkJsonBounds(body, limitsOf(body))
		const text = body.toString('utf8')
		// The standard's types do not know yet that the reviver is given the source of a number.
		return JSON.parse(text, hasLongNumber ? (keepExact as Parameters<typeof JSON.parse>[1]) : undefined)
	} catch (error) {
		const reason = (error as Error).message.slice(0, 200).replace(/\.$/, '')
		throw new Malformed(`The body ${error instanceof JsonFault ? 'is refused' : 'is not JSON'}: ${reason}`)
	}
}

function keepExact(_key: string, value: unknown, context: { source?: string }): unknown {
	if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
	return context.source !== undefined && /^-?\d{1,20}$/.test(context.source) ? BigInt(context.source) : value
}
