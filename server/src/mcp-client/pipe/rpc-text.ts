export type RpcObject = Record<string, unknown>

/** Where a number might not survive JSON.parse: many digits, an exponent, zeros at the end, minus zero. */
const delicate = /\d[\d.]{14,}|\d[eE]|\.\d*0\b|-0/

/** Parses a message so that it can be written out again with every number as it stood; null when it is no object. */
export function parseRpc(text: string): RpcObject | null {
	try {
		const value: unknown = delicate.test(text) ? JSON.parse(text, keepNumber) : JSON.parse(text)
		return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RpcObject) : null
	} catch {
		return null
	}
}

/** A call of a tool that goes on as its text, under another id. */
export interface PlainCall extends RpcObject {
	id: number
	method: 'tools/call'
	/** What follows its id, up to its end. */
	rest: string
}

const callBegin = /^\{"jsonrpc":"2\.0","id":(\d{1,15})(?=,"method":"tools\/call",)/
/**
 * An end of line in the arguments would end the message. A token of progress is replaced by one of ours, also where its name is
 * written with escapes: another caller's token would otherwise be known to the program.
 */
const needsMore = /[\n\r]|progressToken|\\u00[4-7]/i

/** A call as this program writes it; null for whatever needs more than another id. */
export function readPlainCall(text: string): PlainCall | null {
	const begin = callBegin.exec(text)
	if (!begin || needsMore.test(text)) return null
	return { id: Number(begin[1]), method: 'tools/call', rest: text.slice(begin[0].length) }
}

/** The messages in a line: one or, since a server of 2025-03-26 may batch them, several. */
export function linesIn(line: string): string[] {
	if (line.startsWith('{') || !line.trimStart().startsWith('[')) return [line]
	try {
		const batch: unknown = delicate.test(line) ? JSON.parse(line, keepNumber) : JSON.parse(line)
		return (batch as unknown[]).map((message) => JSON.stringify(message))
	} catch {
		return [line]
	}
}

/** The lib of TypeScript does not know these parts of ECMAScript yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

function keepNumber(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
	const source = context?.source
	return typeof value === 'number' && source !== undefined && String(value) !== source
		? rawJSON(source)
		: value
}

export function objectIn(value: unknown): RpcObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RpcObject) : {}
}
