import type { JsonObject } from './message.ts'

const prefix = '=?base64?'
const suffix = '?='
const nameFields: Readonly<Record<string, string>> = {
	'tools/call': 'name',
	'prompts/get': 'name',
	'resources/read': 'uri',
	'tasks/get': 'taskId',
	'tasks/update': 'taskId',
	'tasks/cancel': 'taskId',
}

/** The value of the header `Mcp-Name` for a method, or undefined for methods without one. */
export function nameHeaderOf(method: string, params: JsonObject): string | undefined {
	const field = Object.hasOwn(nameFields, method) ? nameFields[method] : undefined
	const value = field && params[field]
	return typeof value === 'string' ? value : undefined
}

/** Encodes text as a header value: unchanged if that is valid in a header, otherwise as `=?base64?…?=`. */
export function encodeHeaderText(text: string): string {
	const isPlain =
		/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) &&
		!(text.startsWith(prefix) && text.endsWith(suffix))
	return isPlain ? text : `${prefix}${Buffer.from(text).toString('base64')}${suffix}`
}

/** A header that counts once. Some proxies add a second one; as for `node:http`, the first counts. */
export function firstValue(value: string | string[] | undefined): string | undefined {
	return typeof value === 'object' ? value[0] : value
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Decodes a header value; null if its encoding is malformed. The bytes of UTF-8 are accepted too, because the SDK for Go sends a
 * name as it is.
 */
export function decodeHeaderText(value: string): string | null {
	const text = readUtf8(value).trim()
	if (!text.startsWith(prefix) || !text.endsWith(suffix) || text.length < prefix.length + suffix.length)
		return text
	const encoded = text.slice(prefix.length, -suffix.length)
	const bytes = Buffer.from(encoded, 'base64')
	return bytes.toString('base64') === encoded ? bytes.toString('utf8') : null
}

/** Node reads each byte of a header as one character. */
function readUtf8(value: string): string {
	if (!/[\x80-\xff]/.test(value)) return value
	try {
		return strictUtf8.decode(Buffer.from(value, 'latin1'))
	} catch {
		return value
	}
}
