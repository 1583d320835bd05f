import type { IncomingMessage } from 'node:http'
import { type JsonObject, metaOf } from '../mcp-client/index.ts'
import { beginTrace, readTrace, type TraceContext } from '../platform/trace/index.ts'

/** Continues the trace that `params._meta` names, else the one of the HTTP headers, else begins one (W3C Trace Context). */
export function continueTrace(request: IncomingMessage, params: JsonObject): TraceContext {
	const meta = metaOf(params)
	return (
		readTrace(meta.traceparent, meta.tracestate) ??
		readTrace(request.headers.traceparent, request.headers.tracestate) ??
		beginTrace()
	)
}
