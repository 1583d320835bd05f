import type { IncomingMessage } from 'node:http'
import { newSpanId, newTraceId } from '../platform/ids.ts'
import { type JsonObject, metaOf } from './json-rpc/message.ts'

/** Where a call stands in its trace: ours is the span `spanId` below `parentSpanId` ('' when the trace begins here). */
export interface TraceContext {
	traceId: string
	spanId: string
	parentSpanId: string
	traceState: string
	flags: number
}

const form = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Continues the trace that `params._meta` names, else the one of the HTTP headers, else begins one (W3C Trace Context). */
export function continueTrace(request: IncomingMessage, params: JsonObject): TraceContext {
	const meta = metaOf(params)
	return (
		readTrace(meta.traceparent, meta.tracestate) ??
		readTrace(request.headers.traceparent, request.headers.tracestate) ?? {
			traceId: newTraceId(),
			spanId: newSpanId(),
			parentSpanId: '',
			traceState: '',
			flags: 1,
		}
	)
}

/** The `traceparent` that the upstream continues. */
export function traceparentOf(trace: TraceContext): string {
	return `00-${trace.traceId}-${trace.spanId}-${trace.flags.toString(16).padStart(2, '0')}`
}

function readTrace(parent: unknown, state: unknown): TraceContext | null {
	const [, traceId, parentSpanId, flags] = (typeof parent === 'string' && form.exec(parent)) || []
	if (!traceId || !parentSpanId || !flags || /^0+$/.test(traceId) || /^0+$/.test(parentSpanId)) return null
	return {
		traceId,
		parentSpanId,
		spanId: newSpanId(),
		traceState: typeof state === 'string' ? state.slice(0, 512) : '',
		flags: Number.parseInt(flags, 16),
	}
}
