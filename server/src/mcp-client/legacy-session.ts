import { startTimer } from '../platform/clock.ts'
import { Cancellation } from './cancellation.ts'
import { exchangeOnce } from './exchange.ts'
import { RpcFailure } from './failure.ts'
import { isObject, type JsonObject, type RpcRequest, type RpcResponse } from './message.ts'
import { legacyVersions, ownClientInfo } from './revisions.ts'
import { type SendContext, sendAndForget, sendRequest } from './send-request.ts'
import { type McpServer, targetOf } from './target.ts'
import { upstreamFailure } from './upstream-failure.ts'

/** What a handshake with a legacy server gave. */
export interface LegacySession {
	/** What the server can do. */
	capabilities: JsonObject
	/** Go with every request of the session. */
	headers: Record<string, string>
}

/** A session that was just opened. */
export interface OpenedSession extends LegacySession {
	/** The whole result of `initialize`. */
	result: JsonObject
	/** From the request to its answer. */
	latencyMs: number
}

export interface Opening {
	id: number
	/** What the server may ask for, and nothing else. */
	capabilities: JsonObject
	/** Hears what the server asks before it answers. */
	onRequest?(request: RpcRequest): void
	/** Ends the handshake early. */
	cancellation?: Cancellation
}

/** Shakes hands. Many callers may wait for it, so it has an end even when the server drips. */
export async function openLegacySession(
	context: SendContext,
	server: McpServer,
	{ id, capabilities, onRequest, cancellation = new Cancellation() }: Opening,
): Promise<OpenedSession> {
	const { handshakeMs } = context.limits
	const params = { protocolVersion: legacyVersions[0], capabilities, clientInfo: ownClientInfo }
	const timer = startTimer()
	const late = () => cancellation.cancel(upstreamFailure(server, 'timeout', 'did not answer in time.'))
	const deadline = setTimeout(late, handshakeMs)
	const request = { server, id, method: 'initialize', params, headers: {}, idleMs: handshakeMs, cancellation }
	const answer = await sendRequest(context, { ...request, ...(onRequest && { onRequest }) }).finally(() =>
		clearTimeout(deadline),
	)
	const latencyMs = timer()
	const { result, error } = answer.response
	if (!result) throw refused(server, answer.status, error)
	const sessionId = answer.headers['mcp-session-id']
	const headers = {
		'mcp-protocol-version': versionIn(server, result),
		...(typeof sessionId === 'string' && { 'mcp-session-id': sessionId }),
	}
	await sendAndForget(context, server, headers, { jsonrpc: '2.0', method: 'notifications/initialized' })
	const offered = isObject(result.capabilities) ? result.capabilities : {}
	return { capabilities: offered, headers, result, latencyMs }
}

/** Tells the server that the session is over; it may be gone already. */
export async function endLegacySession(
	{ dispatcher }: SendContext,
	server: McpServer,
	{ headers }: LegacySession,
): Promise<void> {
	if (!headers['mcp-session-id']) return
	const { origin, path, headers: own } = targetOf(server)
	const request = { origin, path, method: 'DELETE' as const, headers: { ...own, ...headers }, body: null }
	await exchangeOnce(dispatcher, { ...request, idleMs: 1000, messageBytes: 65_536 }).catch(() => {})
}

function refused(server: McpServer, httpStatus: number, error: RpcResponse['error']): Error {
	const { code, message } = error ?? { code: 0, message: '' }
	const cause = new RpcFailure(code, message, { httpStatus })
	const text = `refused initialize: ${message.slice(0, 200)}`
	return upstreamFailure(server, 'upstream_handshake_failed', text, cause)
}

function versionIn(server: McpServer, { protocolVersion }: JsonObject): string {
	if (typeof protocolVersion === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(protocolVersion))
		return protocolVersion
	const text =
		typeof protocolVersion === 'string'
			? `speaks the unknown protocol revision ${protocolVersion.slice(0, 20)}.`
			: 'named no protocol version.'
	throw upstreamFailure(server, 'upstream_handshake_failed', text)
}
