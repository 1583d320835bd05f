import { isUtf8 } from 'node:buffer'
import { scanJson } from './scan-json.ts'

/** Why a text was refused; `syntax` is not JSON at all, `unsafe` is JSON that two parsers could read differently. */
export class JsonFault extends Error {
	readonly kind: 'syntax' | 'unsafe'
	constructor(kind: 'syntax' | 'unsafe', message: string) {
		super(message)
		this.kind = kind
	}
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown
const json = JSON as unknown as {
	parse(text: string, reviver: Reviver): unknown
	rawJSON(text: string): unknown
	isRawJSON(value: unknown): boolean
}

/**
 * Parses one JSON document whose meaning is the same for every parser: UTF-8, no duplicate or `__proto__` keys, at most
 * 64 levels. Numbers that JavaScript would change keep their source text (`JSON.rawJSON`). Throws `JsonFault`.
 */
export function parseJsonBytes(bytes: Buffer): unknown {
	if (!isUtf8(bytes)) throw new JsonFault('syntax', 'The text is not UTF-8.')
	return parseJsonText(bytes.toString('utf8'))
}

/** The same for text that is decoded already. */
export function parseJsonText(text: string): unknown {
	const plain = parsePlain(text)
	const scan = scanJson(text)
	if (scan.fault) throw new JsonFault('unsafe', scan.fault)
	return scan.exactNumbers ? plain : json.parse(text, keepSource)
}

/** Whether a value is a number that is kept by its source text. */
export function isRawNumber(value: unknown): boolean {
	return typeof value === 'object' && value !== null && json.isRawJSON(value)
}

function parsePlain(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		throw new JsonFault('syntax', 'The text is not one JSON document.')
	}
}

const keepSource: Reviver = (_key, value, context) => {
	if (typeof value !== 'number' || context.source === undefined || String(value) === context.source)
		return value
	return json.rawJSON(context.source)
}
