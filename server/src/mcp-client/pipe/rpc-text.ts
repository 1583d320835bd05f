import { numberOf, parseExactNumbers } from '../../platform/json/parse-json.ts'

export type RpcObject = Record<string, unknown>

/** Parses a message so that every number is serialized again as it was written. Null if it is not an object. */
export function parseRpc(text: string): RpcObject | null {
	try {
		const value = parseExactNumbers(text)
		return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RpcObject) : null
	} catch {
		return null
	}
}

/** A tool call that is forwarded as text, under another id. */
export interface PlainCall extends RpcObject {
	id: number
	method: 'tools/call'
	/** The text after its id, to the end. */
	rest: string
}

const callBegin = /^\{"jsonrpc":"2\.0","id":(\d{1,15})(?=,"method":"tools\/call",)/
/**
 * A line break in the arguments would end the message. A progress token, also if its name is written with escapes, must be
 * replaced, because the program would otherwise learn a token that another caller may use too.
 */
const needsMore = /[\n\r]|progressToken|\\u00[4-7]/i

/** Reads a call in the form that the gateway writes. Null if more than the id must be changed. */
export function readPlainCall(text: string): PlainCall | null {
	const begin = callBegin.exec(text)
	if (!begin || needsMore.test(text)) return null
	return { id: Number(begin[1]), method: 'tools/call', rest: text.slice(begin[0].length) }
}

/** The messages in a line: one, or several if a server of 2025-03-26 sends a batch. */
export function linesIn(line: string): string[] {
	if (line.startsWith('{') || !line.trimStart().startsWith('[')) return [line]
	try {
		return (parseExactNumbers(line) as unknown[]).map((message) => JSON.stringify(message))
	} catch {
		return [line]
	}
}

/** An id or token that was given to the program as a number; NaN for anything else. Some programs write `1.0` for `1`. */
export function numberIn(value: unknown): number {
	return typeof value === 'string' ? Number(value) : (numberOf(value) ?? Number.NaN)
}

export function objectIn(value: unknown): RpcObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RpcObject) : {}
}
