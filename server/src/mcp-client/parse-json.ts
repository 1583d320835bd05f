import { JsonFault, type JsonLimits, JsonScan, scanInTurns } from '../platform/json/json-scan.ts'

export { JsonFault }

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown
const json = JSON as unknown as {
	parse(text: string, reviver: Reviver): unknown
	rawJSON(text: string): unknown
	isRawJSON(value: unknown): boolean
}

/** Of what clients send: no call has as many values, and those that it may have are built at once. */
const requestLimits: JsonLimits = { depth: 64, values: 200_000, containers: 50_000 }
/** Of what servers answer, whose tables can be long, and of what we keep ourselves. */
const answerLimits: JsonLimits = { depth: 64, values: 1_000_000, containers: 500_000 }

/**
 * Parses one JSON document whose meaning is the same for every parser: UTF-8, no duplicate or `__proto__` keys, at most
 * 64 levels, or `depth`. Numbers that JavaScript would change keep their source text (`JSON.rawJSON`). Throws `JsonFault` before anything is built.
 */
export function parseJsonBytes(bytes: Buffer, depth?: number): unknown {
	return built(bytes.toString('utf8'), JsonScan.read(bytes, { limits: limitsTo(depth) }))
}

/** The same for text that is decoded already. */
export function parseJsonText(text: string, depth?: number): unknown {
	return built(text, JsonScan.read(Buffer.from(text), { limits: limitsTo(depth) }))
}

function limitsTo(depth: number | undefined): JsonLimits {
	return depth === undefined ? answerLimits : { ...answerLimits, depth }
}

/** The same for what a client sends, with narrower limits; a promise for a long one, which gives way to others while it is looked through. */
export function parseRequest(bytes: Buffer): unknown {
	if (bytes.length <= atOnceBytes)
		return built(bytes.toString('utf8'), JsonScan.read(bytes, { limits: requestLimits }))
	return scanInTurns(bytes, { limits: requestLimits }).then((scan) => built(bytes.toString('utf8'), scan))
}

/** A document of this size is looked through in less than a millisecond. */
const atOnceBytes = 64 * 1024

/** Whether a value is a number that is kept by its source text. */
export function isRawNumber(value: unknown): boolean {
	return typeof value === 'object' && value !== null && json.isRawJSON(value)
}

function built(text: string, { exactNumbers }: JsonScan): unknown {
	return exactNumbers ? JSON.parse(text) : json.parse(text, keepSource)
}

const keepSource: Reviver = (_key, value, context) => {
	if (typeof value !== 'number' || context.source === undefined || String(value) === context.source)
		return value
	return json.rawJSON(context.source)
}
