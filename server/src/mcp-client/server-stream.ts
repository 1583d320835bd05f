import { doubledMs } from '../platform/retry.ts'
import { Exchange } from './exchange.ts'
import type { LegacySession } from './legacy-session.ts'
import type { RpcNotification, RpcRequest } from './message.ts'
import { readFromServer } from './raw-message.ts'
import type { SendContext } from './send-request.ts'
import { type McpServer, targetOf } from './target.ts'

interface Listener {
	onNotification(notification: RpcNotification): void
	onRequest(request: RpcRequest): void
	/** The server does not know the session any more. */
	onLost(): void
}

const backOff = { firstMs: 1000, longestMs: 60_000 }

/** The GET stream of a legacy server's session: taken up again after its last event until closed, or until the server has none. */
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
		session: Promise<LegacySession>,
		listener: Listener,
	) {
		this.#context = context
		this.#reach = reach
		this.#listener = listener
		session.then(({ headers }) => this.#begin(headers)).catch(() => {})
	}

	close(): void {
		this.#isClosed = true
		if (this.#timer) clearTimeout(this.#timer)
		this.#exchange?.abort(new Error('Nobody listens any more.'))
	}

	/**
	 * At once where it can be: a server may ask on its stream as soon as a call comes, so the stream goes out before the call.
	 * Where nobody's token is at hand now, or it cannot be reached, it is tried again.
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
			// Silence is what such a stream is mostly made of.
			idleMs: 0,
			messageBytes: this.#context.limits.answerBytes,
		}
		const version = sessionHeaders['mcp-protocol-version']
		const exchange = new Exchange(this.#context.dispatcher, request, {
			message: (text) => this.#take(text, version),
			ended: ({ streamed, status }) => {
				if (streamed) this.#again(sessionHeaders, exchange)
				else if (status === 404 && !this.#isClosed) this.#listener.onLost()
			},
			failed: () => queueMicrotask(() => this.#again(sessionHeaders, exchange)),
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
