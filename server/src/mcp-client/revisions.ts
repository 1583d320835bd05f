import { encodeHeaderText, nameHeaderOf } from './header-text.ts'
import type { JsonObject } from './message.ts'

/** The two generations of the protocol: with a handshake and sessions (to 2025-11-25), and without (from 2026-07-28). */
export type Era = 'legacy' | 'modern'

/** Revisions without a handshake, newest first. */
export const modernVersions = ['2026-07-28']
/** Revisions with a handshake, newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

const modernFrom = '2026-07-28'

/** Revision dates can be compared as text. */
export function eraOf(protocolVersion: string): Era {
	return protocolVersion >= modernFrom ? 'modern' : 'legacy'
}

/** Keys of `_meta` that belong to one hop of the modern protocol. */
export const envelope = {
	protocolVersion: 'io.modelcontextprotocol/protocolVersion',
	clientInfo: 'io.modelcontextprotocol/clientInfo',
	clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
	logLevel: 'io.modelcontextprotocol/logLevel',
} as const

/** The name under which Signalbox sends its own requests. */
export const ownClientInfo = { name: 'signalbox', version: '1' }

/** The `_meta` of a modern request that Signalbox makes itself. */
export function ownMeta(capabilities: JsonObject = {}): JsonObject {
	return {
		[envelope.protocolVersion]: modernVersions[0],
		[envelope.clientCapabilities]: capabilities,
		[envelope.clientInfo]: ownClientInfo,
	}
}

/** The headers by which a modern request is routed. */
export function modernHeaders(method: string, params: JsonObject): Record<string, string> {
	const name = nameHeaderOf(method, params)
	const headers: Record<string, string> = {
		'mcp-protocol-version': modernVersions[0] as string,
		'mcp-method': method,
	}
	if (name !== undefined) headers['mcp-name'] = encodeHeaderText(name)
	return headers
}

const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

/** A `subscriptions/listen` that Signalbox makes itself: to all lists, and to these resources. */
export function modernListen(
	id: number,
	uris: readonly string[],
): { headers: Record<string, string>; body: string } {
	const method = 'subscriptions/listen'
	const notifications = { ...lists, ...(uris.length > 0 && { resourceSubscriptions: uris }) }
	const params = { notifications, _meta: ownMeta() }
	return { headers: modernHeaders(method, {}), body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }
}
