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

/** Limits for clients' messages. No call has as many values, and that many can be built at once. */
const requestLimits: JsonLimits = { depth: 64, values: 200_000, containers: 50_000 }
/** Limits for servers' answers, which can contain long tables, and for Signalbox's own data. */
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

/**
 * The same rules for a client's message, with narrower limits. Returns a promise for a long one, whose scan yields to other work.
 */
export function scanRequest(bytes: Buffer): JsonScan | Promise<JsonScan> {
	return bytes.length <= atOnceBytes ? JsonScan.read(bytes, requestScan) : scanInTurns(bytes, requestScan)
}

/** The same rules for a server's answer. */
export function scanAnswer(bytes: Buffer, depth?: number): JsonScan {
	return JsonScan.read(bytes, depth === undefined ? answerScan : { ...answerScan, limits: limitsTo(depth) })
}

/** A cache of `_meta` objects, which clients repeat in each request. */
const knownMetas = new KnownObjects('_meta')
const maxKnown = 1024
/** Fields that differ between requests: a `_meta` with one of them is never repeated. */
const ofOneRequest = ['progressToken', 'traceparent', 'tracestate']

const answerScan = { limits: answerLimits, members: true, within: 'result' }
const requestScan = { limits: requestLimits, members: true, within: 'params', known: knownMetas }

/** Caches the `_meta` of a request's params by its bytes, for requests with the same one. */
export function rememberMeta(bytes: Buffer, value: Readonly<Record<string, unknown>>): void {
	if (bytes.length > maxKnown || ofOneRequest.some((name) => name in value)) return
	const { values, containers, exactNumbers } = JsonScan.read(bytes, { limits: requestLimits })
	// Numbers that JavaScript would change need the scan of the whole document, so such a `_meta` is not cached.
	if (!exactNumbers) return
	knownMetas.add({ bytes: Buffer.from(bytes), value, values: values - 1, containers })
}

/** A document of this size is scanned in less than a millisecond. */
const atOnceBytes = 64 * 1024

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
