import { envelope, type JsonObject, metaOf } from '../../mcp-client/index.ts'
import { type TraceContext, traceparentOf } from '../../platform/trace/index.ts'

const ofThisHop: ReadonlySet<string> = new Set(Object.values(envelope))

/**
 * The client's `_meta` without what belongs to its own hop: progress gets a token that is unique upstream, the trace
 * goes on below our span, with the state that came by header too.
 */
export function relayedMeta(params: JsonObject, token: number, trace: TraceContext): JsonObject {
	const given = metaOf(params)
	const meta: JsonObject = {}
	// Copied key by key: an object of which keys are deleted becomes a slow one.
	for (const key in given) if (!ofThisHop.has(key)) meta[key] = given[key]
	meta.traceparent = traceparentOf(trace)
	if (trace.traceState !== '') meta.tracestate ??= trace.traceState
	if (meta.progressToken !== undefined) meta.progressToken = token
	return meta
}

/** The same for servers that read headers. What came in `_meta` may be no text that a header can carry. */
export function relayedHeaders(trace: TraceContext): Record<string, string> {
	const { traceState } = trace
	const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(traceState)
	return { traceparent: traceparentOf(trace), ...(isPlain && { tracestate: traceState }) }
}
