import { beginTrace, inTrace, readTrace, traceparentOf } from '../trace/index.ts'
import type { Route } from './route.ts'

/** Continues the caller's trace (W3C Trace Context) around a route's handler, and shows the span of ours in the answer. */
export function traced(handle: Route['handle']): Route['handle'] {
	return (request, response, context) => {
		const { traceparent, tracestate } = request.headers
		const trace = readTrace(traceparent, tracestate) ?? beginTrace()
		response.setHeader('traceparent', traceparentOf(trace))
		return inTrace(trace, () => handle(request, response, context))
	}
}
