import { randomBytes } from 'node:crypto'
import { encodeMessage } from '../../server/src/telemetry/otlp/encode-request.ts'
import type { Encoding, Signal } from './target.ts'

/** The nesting of the fields in the request of each signal. */
const fields = {
	traces: ['resourceSpans', 'scopeSpans', 'spans'],
	metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
	logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
} as const

export function nowNs(): string {
	return String(BigInt(Date.now()) * 1_000_000n)
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

export function newSpan(rest: object = {}): object {
	return {
		traceId: hex(16),
		spanId: hex(8),
		name: 'n',
		kind: 1,
		startTimeUnixNano: nowNs(),
		endTimeUnixNano: nowNs(),
		...rest,
	}
}

const newItem = {
	traces: (rest: object) => newSpan(rest),
	metrics: (rest: object) => ({
		name: 'm',
		gauge: { dataPoints: [{ timeUnixNano: nowNs(), asInt: '1', ...rest }] },
	}),
	logs: (rest: object) => ({ timeUnixNano: nowNs(), body: { stringValue: hex(8) }, ...rest }),
}

/** A valid, unique request with one item, which also gets these fields. */
export function newRequest(signal: Signal, rest: object = {}): object {
	return requestOf(signal, [newItem[signal](rest)])
}

export function requestOf(signal: Signal, items: object[]): object {
	const [resources, scopes, list] = fields[signal]
	const attributes = [{ key: 'service.name', value: { stringValue: 'otlp-conformance' } }]
	return {
		[resources]: [
			{
				resource: { attributes },
				schemaUrl: 'https://opentelemetry.io/schemas/1.38.0',
				[scopes]: [{ scope: { name: 'otlp-conformance' }, [list]: items }],
			},
		],
	}
}

export function encode(signal: Signal, encoding: Encoding, request: object): Buffer {
	return encoding === 'json' ? Buffer.from(JSON.stringify(request)) : encodeMessage(signal, request)
}

export function newBody(signal: Signal, encoding: Encoding, rest: object = {}): Buffer {
	return encode(signal, encoding, newRequest(signal, rest))
}

/** A value of every type that an attribute may have. */
export const everyValue = [
	{ key: 'text', value: { stringValue: 'ü' } },
	{ key: 'bool', value: { boolValue: true } },
	{ key: 'int', value: { intValue: '-9223372036854775808' } },
	{ key: 'double', value: { doubleValue: 0.1 } },
	{ key: 'nan', value: { doubleValue: 'NaN' } },
	{ key: 'infinity', value: { doubleValue: '-Infinity' } },
	{ key: 'bytes', value: { bytesValue: 'AQL/' } },
	{ key: 'empty', value: {} },
	{ key: 'array', value: { arrayValue: { values: [{ intValue: 1 }, {}, { arrayValue: { values: [] } }] } } },
	{ key: 'map', value: { kvlistValue: { values: [{ key: 'k', value: { kvlistValue: { values: [] } } }] } } },
]
