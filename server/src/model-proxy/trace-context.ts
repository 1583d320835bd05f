import type { IncomingHttpHeaders } from 'node:http'
import { newSpanId, newTraceId } from '../platform/ids.ts'

export interface TraceContext {
	traceId: string
	spanId: string
	parentSpanId: string
	traceState: string
}

/** Continues the caller's W3C trace, or starts one. */
export function continueTrace(headers: IncomingHttpHeaders): TraceContext {
	const match = String(headers.traceparent ?? '').match(
		/^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/,
	)
	const [, traceId = '', parentSpanId = ''] = match ?? []
	if (!match || /^0+$/.test(traceId) || /^0+$/.test(parentSpanId)) {
		return { traceId: newTraceId(), spanId: newSpanId(), parentSpanId: '', traceState: '' }
	}
	return { traceId, spanId: newSpanId(), parentSpanId, traceState: clip(headers.tracestate) }
}

function clip(value: unknown): string {
	return typeof value === 'string' ? value.slice(0, 512) : ''
}
