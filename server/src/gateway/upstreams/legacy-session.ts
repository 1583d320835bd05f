import type { ServerEntry } from '../../servers/index.ts'
import { isObject, type JsonObject } from '../json-rpc/message.ts'
import { Exchange } from './exchange.ts'
import { shakeHands } from './handshake.ts'
import { type SendContext, sendAndForget } from './send.ts'
import { targetOf } from './target.ts'
import { upstreamFailure } from './upstream-failure.ts'

/** What a handshake with a legacy server gave. */
export interface LegacySession {
	/** What the server can do. */
	capabilities: JsonObject
	/** Go with every request of the session. */
	headers: Record<string, string>
}

const asked = '2025-11-25'

/** Shakes hands; the server may ask for what `capabilities` says, and nothing else. */
export async function openLegacySession(
	context: SendContext,
	server: ServerEntry,
	id: number,
	capabilities: JsonObject,
): Promise<LegacySession> {
	const params = { protocolVersion: asked, capabilities, clientInfo: { name: 'signalbox', version: '1' } }
	const { result, headers } = await shakeHands(context, {
		server,
		id,
		method: 'initialize',
		params,
		headers: {},
	})
	const sessionId = headers['mcp-session-id']
	const sessionHeaders = {
		'mcp-protocol-version': versionIn(server, result),
		...(typeof sessionId === 'string' && { 'mcp-session-id': sessionId }),
	}
	await sendAndForget(context, server, sessionHeaders, {
		jsonrpc: '2.0',
		method: 'notifications/initialized',
	})
	return { capabilities: isObject(result.capabilities) ? result.capabilities : {}, headers: sessionHeaders }
}

/** Tells the server that the session is over; it may be gone already. */
export async function endLegacySession(
	{ dispatcher }: SendContext,
	server: ServerEntry,
	{ headers }: LegacySession,
): Promise<void> {
	if (!headers['mcp-session-id']) return
	const { origin, path, headers: own } = targetOf(server)
	const request = {
		origin,
		path,
		method: 'DELETE' as const,
		headers: { ...own, ...headers },
		body: null,
		idleMs: 1000,
		messageBytes: 65_536,
	}
	await new Exchange(dispatcher, request, () => {}).done.catch(() => {})
}

function versionIn(server: ServerEntry, { protocolVersion }: JsonObject): string {
	if (typeof protocolVersion === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(protocolVersion))
		return protocolVersion
	throw upstreamFailure(server, 'upstream_handshake_failed', 'named no protocol version.')
}
