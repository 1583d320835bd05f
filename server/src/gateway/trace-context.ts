import type { IncomingMessage } from 'node:http'
import { beginTrace, readTrace, type TraceContext } from '../platform/trace/index.ts'
import { type JsonObject, metaOf } from './json-rpc/message.ts'

/** Continues the trace that `params._meta` names, else the one of the HTTP headers, else begins one (W3C Trace Context). */
export function continueTrace(request: IncomingMessage, params: JsonObject): TraceContext {
	const meta = metaOf(params)
	return (
		readTrace(meta.traceparent, meta.tracestate) ??
		readTrace(request.headers.traceparent, request.headers.tracestate) ??
		beginTrace()
	)
}
