import { isSourceNumber } from '../../platform/json/parse-json.ts'

export type RpcObject = Record<string, unknown>

/** Numbers that might not survive JSON.parse: many digits, an exponent, trailing zeros, minus zero. */
const delicate = /\d[\d.]{14,}|\d[eE]|\.\d*0\b|-0/

/** Parses a message so that every number is serialized again as it was written. Null if it is not an object. */
export function parseRpc(text: string): RpcObject | null {
	try {
		const value: unknown = delicate.test(text) ? JSON.parse(text, keepNumber) : JSON.parse(text)
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
		const batch: unknown = delicate.test(line) ? JSON.parse(line, keepNumber) : JSON.parse(line)
		return (batch as unknown[]).map((message) => JSON.stringify(message))
	} catch {
		return [line]
	}
}

/** TypeScript's lib does not declare these parts of ECMAScript yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

function keepNumber(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
	const source = context?.source
	return typeof value === 'number' && source !== undefined && String(value) !== source
		? rawJSON(source)
		: value
}

/** An id or token that was given to the program as a number; NaN for anything else. Some programs write `1.0` for `1`. */
export function numberIn(value: unknown): number {
	if (isSourceNumber(value)) return Number(JSON.stringify(value))
	// Not `Number` for objects: it throws for some that a program may send.
	return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
}

export function objectIn(value: unknown): RpcObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RpcObject) : {}
}
