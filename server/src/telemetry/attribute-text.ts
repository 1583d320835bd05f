import type { OtlpAnyValue, OtlpKeyValue } from '@signalbox/contract'
import type { AttributeValue } from './span-row.ts'

/** The kinds of value that are not text. Text has no entry in the `*_types` maps. */
export const attributeTypes = ['int', 'double', 'bool', 'bytes', 'array', 'kvlist', 'empty'] as const
export type AttributeType = (typeof attributeTypes)[number]

/** '' for text. */
export function typeOfAttribute(value: AttributeValue): AttributeType | '' {
	if (typeof value === 'string') return ''
	if (typeof value === 'bigint') return 'int'
	if (typeof value === 'number') return 'double'
	if (typeof value === 'boolean') return 'bool'
	if (value === null) return 'empty'
	if (value instanceof Uint8Array) return 'bytes'
	return Array.isArray(value) ? 'array' : 'kvlist'
}

/** The text stored in `attributes` for a value: numbers in their shortest exact form, bytes in base64, lists as OTLP JSON. */
export function attributeText(value: AttributeValue): string {
	if (typeof value === 'string') return value
	if (typeof value === 'number') return doubleText(value)
	if (value === null) return ''
	if (value instanceof Uint8Array) return base64(value)
	if (typeof value === 'object')
		return JSON.stringify(Array.isArray(value) ? arrayJson(value) : kvlistJson(value))
	return String(value)
}

/** The value of a text and its type. A text that does not fit its type stays text. */
export function parseAttribute(text: string, type: string | undefined): AttributeValue {
	try {
		if (type === 'int') return BigInt(text)
		if (type === 'double') return Number(text)
		if (type === 'bool') return text === 'true'
		if (type === 'empty') return null
		if (type === 'bytes') return Buffer.from(text, 'base64')
		if (type === 'array') return (JSON.parse(text) as { values: OtlpAnyValue[] }).values.map(fromOtlpJson)
		if (type === 'kvlist') return fromKeyValues((JSON.parse(text) as { values: OtlpKeyValue[] }).values)
	} catch {}
	return text
}

export function doubleText(value: number): string {
	return Object.is(value, -0) ? '-0' : String(value)
}

/** A value in OTLP's JSON form: 64-bit integers as text, bytes in base64, NaN and infinities as text. */
export function toOtlpJson(value: AttributeValue): OtlpAnyValue {
	if (typeof value === 'string') return { stringValue: value.toWellFormed() }
	if (typeof value === 'bigint') return { intValue: String(value) }
	if (typeof value === 'boolean') return { boolValue: value }
	if (typeof value === 'number') {
		return { doubleValue: Number.isFinite(value) && !Object.is(value, -0) ? value : doubleText(value) }
	}
	if (value === null) return {}
	if (value instanceof Uint8Array) return { bytesValue: base64(value) }
	return Array.isArray(value) ? { arrayValue: arrayJson(value) } : { kvlistValue: kvlistJson(value) }
}

export function toOtlpKeyValues(entries: Iterable<[string, AttributeValue]>): OtlpKeyValue[] {
	return Array.from(entries, ([key, value]) => ({ key: key.toWellFormed(), value: toOtlpJson(value) }))
}

function fromOtlpJson(value: OtlpAnyValue): AttributeValue {
	if (value.stringValue !== undefined) return value.stringValue
	if (value.intValue !== undefined) return BigInt(value.intValue)
	if (value.boolValue !== undefined) return value.boolValue
	if (value.doubleValue !== undefined) return Number(value.doubleValue)
	if (value.bytesValue !== undefined) return Buffer.from(value.bytesValue, 'base64')
	if (value.arrayValue) return value.arrayValue.values.map(fromOtlpJson)
	return value.kvlistValue ? fromKeyValues(value.kvlistValue.values) : null
}

function fromKeyValues(entries: OtlpKeyValue[]): { [key: string]: AttributeValue } {
	const object: { [key: string]: AttributeValue } = Object.create(null)
	for (const { key, value } of entries) object[key] = fromOtlpJson(value)
	return object
}

function arrayJson(values: AttributeValue[]): { values: OtlpAnyValue[] } {
	return { values: values.map(toOtlpJson) }
}

function kvlistJson(object: { [key: string]: AttributeValue }): { values: OtlpKeyValue[] } {
	return { values: toOtlpKeyValues(Object.entries(object)) }
}

function base64(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
