import { JsonFault, type JsonLimits, JsonScan } from '../../platform/json/json-scan.ts'
import type { Json } from './json-fields.ts'
import { type Signal, signalNames, signals } from './signals.ts'
import { Malformed } from './wire-reader.ts'

/** Deeper than any value of OTLP may be, which has a limit of its own; so many bytes of telemetry never hold as many values. */
function limitsOf({ length }: Buffer): JsonLimits {
	const least = 10_000
	return { depth: 512, values: Math.max(least, length / 6), containers: Math.max(least, length / 12) }
}

/** A bare number of 16 digits or more, which a float may not hold exactly. */
const longNumber = /[:,[\s]-?\d{16}/

/** Parses a body of UTF-8 JSON; whole numbers that a float cannot hold become bigints. Throws `Malformed`. */
export function parseJsonBody(body: Buffer, signal: Signal): Json {
	const parsed = parse(body)
	if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
		throw new Malformed('The body is not a JSON object.')
	refuseOtherSignal(parsed as Json, signal)
	return parsed as Json
}

function refuseOtherSignal(request: Json, signal: Signal): void {
	if (request[signals[signal].requestField] !== undefined) return
	const other = signalNames.find((name) => request[signals[name].requestField])
	if (other) throw new Malformed(`This is a ${other} request, and this path takes ${signal}.`)
}

function parse(body: Buffer): unknown {
	try {
		JsonScan.read(body, { limits: limitsOf(body), lenient: true })
		const text = body.toString('utf8')
		return JSON.parse(
			text,
			longNumber.test(text) ? (keepExact as Parameters<typeof JSON.parse>[1]) : undefined,
		)
	} catch (error) {
		const reason = (error as Error).message.slice(0, 200).replace(/\.$/, '')
		const isJson = error instanceof JsonFault && error.kind !== 'syntax'
		throw new Malformed(`The body ${isJson ? 'is refused' : 'is not JSON'}: ${reason}`)
	}
}

function keepExact(_key: string, value: unknown, context: { source?: string }): unknown {
	if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
	return context.source !== undefined && /^-?\d{1,20}$/.test(context.source) ? BigInt(context.source) : value
}
