import { AsyncLocalStorage } from 'node:async_hooks'
import { newSpanId, newTraceId } from '../ids.ts'

/** Our position in a trace: our span is `spanId`, a child of `parentSpanId` ('' if the trace begins here). */
export interface TraceContext {
	traceId: string
	spanId: string
	parentSpanId: string
	traceState: string
	flags: number
}

const form = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/
const maxTraceState = 512

/** Starts a span of ours in the trace of the two W3C Trace Context headers; null if they contain none. */
export function readTrace(parent: unknown, state: unknown): TraceContext | null {
	const [, traceId, parentSpanId, flags] = (typeof parent === 'string' && form.exec(parent)) || []
	if (!traceId || !parentSpanId || !flags || /^0+$/.test(traceId) || /^0+$/.test(parentSpanId)) return null
	return {
		traceId,
		parentSpanId,
		spanId: newSpanId(),
		traceState: typeof state === 'string' ? state.slice(0, maxTraceState) : '',
		flags: Number.parseInt(flags, 16),
	}
}

export function beginTrace(): TraceContext {
	return { traceId: newTraceId(), spanId: newSpanId(), parentSpanId: '', traceState: '', flags: 1 }
}

/** The `traceparent` for requests below our span. */
export function traceparentOf(trace: TraceContext): string {
	return `00-${trace.traceId}-${trace.spanId}-${trace.flags.toString(16).padStart(2, '0')}`
}

const traces = new AsyncLocalStorage<TraceContext>()

/** Runs work as part of a trace: its log lines and outbound requests, at any depth, belong to it. */
export function inTrace<T>(trace: TraceContext, work: () => T): T {
	return traces.run(trace, work)
}

/** The trace of the current request; undefined in the background and on the data plane. */
export function currentTrace(): TraceContext | undefined {
	return traces.getStore()
}

/** The headers with which another program continues the current trace; none outside of one. */
export function traceHeaders(trace: TraceContext | undefined = currentTrace()): Record<string, string> {
	if (!trace) return {}
	return {
		traceparent: traceparentOf(trace),
		...(trace.traceState !== '' && { tracestate: trace.traceState }),
	}
}
