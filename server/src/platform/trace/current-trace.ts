import { AsyncLocalStorage } from 'node:async_hooks'
import { type TraceContext, traceparentOf } from './trace-context.ts'

const traces = new AsyncLocalStorage<TraceContext>()

/** Runs work as part of a trace: log lines that it writes and requests that it makes belong to it, however deep. */
export function inTrace<T>(trace: TraceContext, work: () => T): T {
	return traces.run(trace, work)
}

/** The trace of the request that is worked on; undefined in the background and on the data plane. */
export function currentTrace(): TraceContext | undefined {
	return traces.getStore()
}

/** The headers by which another program continues the present trace; none outside of one. */
export function traceHeaders(trace: TraceContext | undefined = currentTrace()): Record<string, string> {
	if (!trace) return {}
	return {
		traceparent: traceparentOf(trace),
		...(trace.traceState !== '' && { tracestate: trace.traceState }),
	}
}
