import { type JsonObject, metaOf } from '../json-rpc/message.ts'
import { envelope } from '../protocol/envelope.ts'

/**
 * The client's `_meta` without what belongs to its own hop: progress gets a token that is unique upstream, the trace
 * goes on below our span.
 */
export function relayedMeta(params: JsonObject, token: number, traceparent: string): JsonObject {
	const meta: JsonObject = { ...metaOf(params), traceparent }
	for (const key of Object.values(envelope)) delete meta[key]
	if (meta.progressToken !== undefined) meta.progressToken = token
	return meta
}
