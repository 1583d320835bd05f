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

/** What the header `Mcp-Name` of a method repeats, or undefined for methods without one. */
export function nameHeaderOf(method: string, params: JsonObject): string | undefined {
	const field = Object.hasOwn(nameFields, method) ? nameFields[method] : undefined
	const value = field && params[field]
	return typeof value === 'string' ? value : undefined
}

/** Text as a header value: as it is when a header can carry it, else as `=?base64?…?=`. */
export function encodeHeaderText(text: string): string {
	const isPlain =
		/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) &&
		!(text.startsWith(prefix) && text.endsWith(suffix))
	return isPlain ? text : `${prefix}${Buffer.from(text).toString('base64')}${suffix}`
}

/** The text in a header value, or null when its encoding is broken. */
export function decodeHeaderText(value: string): string | null {
	const text = value.trim()
	if (!text.startsWith(prefix) || !text.endsWith(suffix) || text.length < prefix.length + suffix.length)
		return text
	const encoded = text.slice(prefix.length, -suffix.length)
	const bytes = Buffer.from(encoded, 'base64')
	return bytes.toString('base64') === encoded ? bytes.toString('utf8') : null
}
