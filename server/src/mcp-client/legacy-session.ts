import { startTimer } from '../platform/clock.ts'
import { doubledMs } from '../platform/retry.ts'
import { Cancellation } from './cancellation.ts'
import { Exchange, exchangeOnce } from './exchange.ts'
import { RpcFailure } from './failure.ts'
import { firstValue } from './header-text.ts'
import {
	isObject,
	type JsonObject,
	type RpcNotification,
	type RpcRequest,
	type RpcResponse,
} from './message.ts'
import { readFromServer } from './raw-message.ts'
import { legacyVersions, ownClientInfo } from './revisions.ts'
import { type SendContext, sendOneWay, sendRequest } from './send-request.ts'
import { type McpServer, targetOf } from './target.ts'
import { upstreamFailure } from './upstream-failure.ts'

/** The result of a handshake with a legacy server. */
export interface LegacySession {
	/** The server's capabilities. */
	capabilities: JsonObject
	/** Sent with every request of the session. */
	headers: Record<string, string>
}

/** A newly opened session. */
export interface OpenedSession extends LegacySession {
	/** The whole result of `initialize`. */
	result: JsonObject
	/** Time from the request to its answer, in milliseconds. */
	latencyMs: number
}

export interface Opening {
	id: number
	/** The capabilities declared to the server: exactly what it may ask for. */
	capabilities: JsonObject
	/** Called for a request that the server makes before it answers. */
	onRequest?(request: RpcRequest): void
	/** Ends the handshake early. */
	cancellation?: Cancellation
}

/** Makes the handshake. Many callers may wait for it, so it is limited in time even when the server drips. */
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
	const sessionId = firstValue(answer.headers['mcp-session-id'])
	const headers = {
		'mcp-protocol-version': versionIn(server, result),
		...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
	}
	// Servers may offer tools only after this notification, so the session is unusable without it.
	const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
	const lost = await sendOneWay(context, server, headers, initialized)
	if (lost instanceof RpcFailure && lost.errorType === 'upstream_unreachable') throw lost
	const offered = isObject(result.capabilities) ? result.capabilities : {}
	return { capabilities: offered, headers, result, latencyMs }
}

/** Ends the session at the server, which may no longer know it. */
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

interface Listener {
	onNotification(notification: RpcNotification): void
	onRequest(request: RpcRequest): void
	/** Called when the server does not know the session any more. */
	onLost(): void
	/** Called when the server answers that it cannot open a stream as requested (400). */
	onRefused?(): void
}

const backOff = { firstMs: 1000, maxMs: 60_000 }
/** A stream that lasted this long counts as a success: many proxies cut a silent one every minute. */
const steadyMs = 5000

/**
 * The GET stream of a legacy server's session. It is resumed after its last event until it is closed or the server refuses it.
 */
export class ServerStream {
	readonly #context: SendContext
	readonly #reach: () => McpServer | Promise<McpServer>
	readonly #listener: Listener
	#exchange: Exchange | null = null
	#timer: NodeJS.Timeout | null = null
	#lastEventId = ''
	#failures = 0
	#isClosed = false

	constructor(
		context: SendContext,
		reach: () => McpServer | Promise<McpServer>,
		session: Promise<LegacySession & { lastEventId?: string }>,
		listener: Listener,
	) {
		this.#context = context
		this.#reach = reach
		this.#listener = listener
		const begin = ({ headers, lastEventId = '' }: Awaited<typeof session>) => {
			this.#lastEventId = lastEventId
			this.#begin(headers)
		}
		session.then(begin).catch(() => {})
	}

	/** After which event it can be resumed; '' if it cannot. */
	get lastEventId(): string {
		return this.#exchange?.resumption?.lastEventId ?? this.#lastEventId
	}

	/** Whether the server has answered the last request with a stream. */
	get isOpen(): boolean {
		return this.#exchange?.isStream ?? false
	}

	close(): void {
		this.#isClosed = true
		if (this.#timer) clearTimeout(this.#timer)
		this.#exchange?.abort(new Error('Nobody listens any more.'))
	}

	/**
	 * Opens the stream synchronously if possible: a server may ask on its stream as soon as a call arrives, so the stream must be
	 * requested before the call. Without a token, or if the server cannot be reached, this is retried.
	 */
	#begin(sessionHeaders: Record<string, string>): void {
		const again = () => this.#again(sessionHeaders, null)
		try {
			const reached = this.#reach()
			if (reached instanceof Promise)
				reached.then((server) => this.#open(server, sessionHeaders)).catch(again)
			else this.#open(reached, sessionHeaders)
		} catch {
			again()
		}
	}

	#open(server: McpServer, sessionHeaders: Record<string, string>): void {
		if (this.#isClosed) return
		const { origin, path, headers } = targetOf(server)
		const { 'content-type': _, ...own } = headers
		const request = {
			origin,
			path,
			method: 'GET' as const,
			headers: {
				...own,
				accept: 'text/event-stream',
				...sessionHeaders,
				...(this.#lastEventId && { 'last-event-id': this.#lastEventId }),
			},
			body: null,
			// Such a stream is normally silent.
			idleMs: 0,
			messageBytes: this.#context.limits.answerBytes,
		}
		const version = sessionHeaders['mcp-protocol-version']
		const lastedMs = startTimer()
		const again = () => {
			if (exchange.isStream && lastedMs() >= steadyMs) this.#failures = 0
			this.#again(sessionHeaders, exchange)
		}
		const exchange = new Exchange(this.#context.dispatcher, request, {
			message: (text) => this.#take(text, version),
			ended: ({ streamed, status }) => {
				if (streamed || isOutage(status)) return again()
				if (this.#isClosed) return
				if (status === 404) this.#listener.onLost()
				if (status !== 400) return
				if (this.#lastEventId === '') return this.#listener.onRefused?.()
				// The server keeps the events after this one no longer.
				this.#lastEventId = ''
				again()
			},
			failed: () => queueMicrotask(again),
		})
		this.#exchange = exchange
	}

	#take(text: string, version: string | undefined): void {
		this.#failures = 0
		for (const message of readFromServer(Buffer.from(text), version)) {
			if (message.kind === 'notification') this.#listener.onNotification(message)
			if (message.kind === 'request') this.#listener.onRequest(message)
		}
	}

	#again(sessionHeaders: Record<string, string>, ended: Exchange | null): void {
		if (this.#isClosed) return
		const resumption = ended?.resumption
		if (resumption) this.#lastEventId = resumption.lastEventId
		const waitMs = doubledMs({ ...backOff, firstMs: resumption?.retryMs ?? backOff.firstMs }, this.#failures)
		this.#failures = Math.min(this.#failures + 1, 6)
		this.#timer = setTimeout(() => this.#begin(sessionHeaders), waitMs).unref()
	}
}

/** Whether a proxy answered while its server was away, or asks to come back later. 501 says that there is no such stream. */
function isOutage(status: number): boolean {
	return status === 429 || (status >= 500 && status !== 501)
}
