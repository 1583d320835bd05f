import { type JsonLimits, JsonScan } from './json-scan.ts'

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
const json = JSON as unknown as {
	parse(text: string, reviver: Reviver): unknown
	rawJSON(text: string): unknown
	isRawJSON(value: unknown): boolean
}

/** Many digits, an exponent, zeros at the end of a fraction, a very small fraction, minus zero. */
const inexact = /\d[\d.]{14,}|\d[eE]|\.\d*0\b|0\.000000|-0/

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

/** The number that a value is, also if it keeps its source text (`6.0` is 6); null for anything else. */
export function numberOf(value: unknown): number | null {
	if (typeof value === 'number') return value
	return isSourceNumber(value) ? Number(JSON.stringify(value)) : null
}

/** A value in which every number is one of JavaScript, for comparisons; the value itself if that holds already. */
export function withPlainNumbers(value: unknown): unknown {
	return hasSourceNumber(value) ? JSON.parse(JSON.stringify(value)) : value
}

function hasSourceNumber(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false
	return isSourceNumber(value) || Object.values(value).some(hasSourceNumber)
}

const keepSource: Reviver = (_key, value, { source }) =>
	typeof value !== 'number' || source === undefined || String(value) === source ? value : json.rawJSON(source)

/** Limits for servers' answers, which can contain long tables, and for Signalbox's own data. */
export const answerLimits: JsonLimits = { depth: 64, values: 1_000_000, containers: 500_000 }

/**
 * Parses one JSON document whose meaning is the same for every parser: no duplicate or `__proto__` keys, at most 64 levels, or
 * `depth`. Numbers that JavaScript would change keep their source text (`JSON.rawJSON`). Throws `JsonFault` before anything is built.
 */
export function parseJsonText(text: string, depth?: number): unknown {
	return parseScanned(text, JsonScan.read(Buffer.from(text), { limits: limitsTo(depth) }).exactNumbers)
}

export function limitsTo(depth: number | undefined): JsonLimits {
	return depth === undefined ? answerLimits : { ...answerLimits, depth }
}

/** Parses a scanned document. `isExact`: JavaScript would write every number in it unchanged. */
export function parseScanned(text: string, isExact: boolean): unknown {
	return isExact ? JSON.parse(text) : json.parse(text, keepSource)
}
