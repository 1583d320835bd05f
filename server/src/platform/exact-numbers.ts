type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
const json = JSON as unknown as {
	parse(text: string, reviver: Reviver): unknown
	rawJSON(text: string): unknown
	isRawJSON(value: unknown): boolean
}

const inexact = /\d[.eE]|-0|\d{16}/

/** Whether the text may contain a number that JavaScript would change. */
export function mayBeInexact(text: string): boolean {
	return inexact.test(text)
}

/** Parses JSON; numbers that JavaScript would change (1.0, 1e400, beyond 2^53) keep their source text. */
export function parseExactNumbers(text: string): unknown {
	return mayBeInexact(text) ? json.parse(text, keepSource) : JSON.parse(text)
}

/** Whether a value is a number that keeps its source text. */
export function isSourceNumber(value: unknown): boolean {
	return typeof value === 'object' && value !== null && json.isRawJSON(value)
}

const keepSource: Reviver = (_key, value, { source }) =>
	typeof value !== 'number' || source === undefined || String(value) === source ? value : json.rawJSON(source)
