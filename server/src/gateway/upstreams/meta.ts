import { type JsonObject, metaOf } from '../json-rpc/message.ts'

/** Keys of `_meta` that belong to one hop of the modern protocol. */
export const envelope = {
	protocolVersion: 'io.modelcontextprotocol/protocolVersion',
	clientInfo: 'io.modelcontextprotocol/clientInfo',
	clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
	logLevel: 'io.modelcontextprotocol/logLevel',
} as const

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
