import { parseExactNumbers } from '../platform/exact-numbers.ts'
import { JsonFault, type JsonLimits, JsonScan } from '../platform/json/json-scan.ts'

export { JsonFault }

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
	return isExact ? JSON.parse(text) : parseExactNumbers(text)
}
