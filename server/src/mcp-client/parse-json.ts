import { JsonFault, type JsonLimits, JsonScan } from '../platform/json/json-scan.ts'
import { KnownObjects } from '../platform/json/known-pieces.ts'
import { scanInTurns } from '../platform/json/scan-in-turns.ts'

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
 * Parses one JSON document whose meaning is the same for every parser: no duplicate or `__proto__` keys, at most 64 levels, or
 * `depth`. Numbers that JavaScript would change keep their source text (`JSON.rawJSON`). Throws `JsonFault` before anything is built.
 */
export function parseJsonText(text: string, depth?: number): unknown {
	return parseScanned(text, JsonScan.read(Buffer.from(text), { limits: limitsTo(depth) }).exactNumbers)
}

function limitsTo(depth: number | undefined): JsonLimits {
	return depth === undefined ? answerLimits : { ...answerLimits, depth }
}

/** The same rules for what a client sends, with narrower limits; a promise for a long one, which gives way to others while it is scanned. */
export function scanRequest(bytes: Buffer): JsonScan | Promise<JsonScan> {
	return bytes.length <= atOnceBytes ? JsonScan.read(bytes, requestScan) : scanInTurns(bytes, requestScan)
}

/** The same rules for what a server answers. */
export function scanAnswer(bytes: Buffer, depth?: number): JsonScan {
	return JsonScan.read(bytes, depth === undefined ? answerScan : { ...answerScan, limits: limitsTo(depth) })
}

/** What clients say of themselves with each request. */
const knownMetas = new KnownObjects('_meta')
const longestKnown = 1024
/** Names of what differs from request to request: such a `_meta` does not come again. */
const ofOneRequest = ['progressToken', 'traceparent', 'tracestate']

const answerScan = { limits: answerLimits, members: true, within: 'result' }
const requestScan = { limits: requestLimits, members: true, within: 'params', known: knownMetas }

/** Remembers the `_meta` of the params of a request, by its bytes, for the requests that bring the same one. */
export function rememberMeta(bytes: Buffer, value: Readonly<Record<string, unknown>>): void {
	if (bytes.length > longestKnown || ofOneRequest.some((name) => name in value)) return
	const { values, containers, exactNumbers } = JsonScan.read(bytes, { limits: requestLimits })
	// Numbers that JavaScript would change are noted by the scan.
	if (!exactNumbers) return
	knownMetas.add({ bytes: Buffer.from(bytes), value, values: values - 1, containers })
}

/** A document of this size is looked through in less than a millisecond. */
const atOnceBytes = 64 * 1024

/** Whether a value is a number that is kept by its source text. */
export function isRawNumber(value: unknown): boolean {
	return typeof value === 'object' && value !== null && json.isRawJSON(value)
}

/** Parses what was scanned. `isExact`: every number in it is written as JavaScript would write it. */
export function parseScanned(text: string, isExact: boolean): unknown {
	return isExact ? JSON.parse(text) : json.parse(text, keepSource)
}

const keepSource: Reviver = (_key, value, context) => {
	if (typeof value !== 'number' || context.source === undefined || String(value) === context.source)
		return value
	return json.rawJSON(context.source)
}
