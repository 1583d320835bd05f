import { type JsonObject, metaOf } from '../json-rpc/message.ts'
import { envelope } from '../protocol/envelope.ts'

const ofThisHop: ReadonlySet<string> = new Set(Object.values(envelope))

/**
 * The client's `_meta` without what belongs to its own hop: progress gets a token that is unique upstream, the trace
 * goes on below our span.
 */
export function relayedMeta(params: JsonObject, token: number, traceparent: string): JsonObject {
	const given = metaOf(params)
	const meta: JsonObject = {}
	// Copied key by key: an object of which keys are deleted becomes a slow one.
	for (const key in given) if (!ofThisHop.has(key)) meta[key] = given[key]
	meta.traceparent = traceparent
	if (meta.progressToken !== undefined) meta.progressToken = token
	return meta
}
