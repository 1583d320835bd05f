import { type JsonLimits, JsonScan } from './json-scan.ts'

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
