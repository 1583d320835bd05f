import { JsonFault, type JsonLimits, JsonScan } from '../platform/json/json-scan.ts'

export { JsonFault }

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown
const json = JSON as unknown as {
	parse(text: string, reviver: Reviver): unknown
	rawJSON(text: string): unknown
	isRawJSON(value: unknown): boolean
}

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

/** Whether a value is a number kept as source text. */
export function isRawNumber(value: unknown): boolean {
	return typeof value === 'object' && value !== null && json.isRawJSON(value)
}

/** Parses a scanned document. `isExact`: JavaScript would write every number in it unchanged. */
export function parseScanned(text: string, isExact: boolean): unknown {
	return isExact ? JSON.parse(text) : json.parse(text, keepSource)
}

const keepSource: Reviver = (_key, value, context) => {
	if (typeof value !== 'number' || context.source === undefined || String(value) === context.source)
		return value
	return json.rawJSON(context.source)
}
