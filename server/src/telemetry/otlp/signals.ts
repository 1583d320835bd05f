import type { IncomingMessage } from 'node:http'
import { Problem } from '../../platform/errors.ts'

/** The encoding of a request and of its answer. */
export type Encoding = 'protobuf' | 'json'

export const contentTypes: Readonly<Record<Encoding, string>> = {
	protobuf: 'application/x-protobuf',
	json: 'application/json',
}

/** The encoding of a request, or null if it is not one of OTLP's. */
export function encodingOf(request: IncomingMessage): Encoding | null {
	const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
	if (type === contentTypes.protobuf) return 'protobuf'
	return type === contentTypes.json ? 'json' : null
}

export function requireEncoding(request: IncomingMessage): Encoding {
	const encoding = encodingOf(request)
	if (encoding) return encoding
	throw new Problem(
		'unsupported_media_type',
		'The Content-Type is application/x-protobuf or application/json here.',
	)
}

/** The signals of OTLP, and how their messages differ. */
export const signals = {
	traces: {
		requestField: 'resourceSpans',
		rejectedField: 'rejectedSpans',
		item: 'span',
		service: 'trace.v1.TraceService',
	},
	metrics: {
		requestField: 'resourceMetrics',
		rejectedField: 'rejectedDataPoints',
		item: 'data point',
		service: 'metrics.v1.MetricsService',
	},
	logs: {
		requestField: 'resourceLogs',
		rejectedField: 'rejectedLogRecords',
		item: 'log record',
		service: 'logs.v1.LogsService',
	},
} as const

export type Signal = keyof typeof signals
export const signalNames = Object.keys(signals) as Signal[]

/** The signal and encoding of a body. */
export interface BodyForm {
	signal: Signal
	encoding: Encoding
}

/** Precedes the service in the paths of OTLP/gRPC. */
export const grpcPrefix = 'opentelemetry.proto.collector.'
