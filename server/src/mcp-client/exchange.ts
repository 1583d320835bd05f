import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { EventStreamReader } from '../platform/event-stream-reader.ts'

export interface ExchangeRequest {
	origin: string
	path: string
	method: 'POST' | 'GET' | 'DELETE' | 'OPTIONS'
	headers: Record<string, string>
	body: string | null
	/** Longest silence before the headers and between two pieces of the body. */
	idleMs: number
	/** Largest single message. */
	messageBytes: number
	/** Most of all its messages together; none for a stream that stays open. */
	streamBytes?: number
}

/** Who is notified how an exchange goes: of the messages of an event stream, then of one of the two ends. */
export interface ExchangeListener {
	/** The first of its bytes is about to leave. */
	sent?(): void
	message?(text: string): void
	ended(end: ExchangeEnd): void
	failed(error: Error): void
}

export interface ExchangeEnd {
	status: number
	headers: IncomingHttpHeaders
	/** The body when it was no event stream. */
	body: Buffer
	/** Whether the messages came as an event stream. */
	streamed: boolean
}

const defaultRetryMs = 1000
const redirectsMost = 3
const nothing: readonly Buffer[] = []

/** A request that is under way already, begun by somebody else. What happens until it is taken over is kept, in its order. */
export class BegunExchange implements Dispatcher.DispatchHandler {
	/** Of the message. */
	readonly id: number
	#controller: Dispatcher.DispatchController | null = null
	#abandoned: Error | null = null
	#handler: Dispatcher.DispatchHandler | null = null
	#kept: ((handler: Dispatcher.DispatchHandler) => void)[] = []

	constructor(id: number) {
		this.id = id
	}

	/** From now on this one hears of it, of what happened before first. */
	handTo(handler: Dispatcher.DispatchHandler): void {
		this.#handler = handler
		for (const event of this.#kept) event(handler)
		this.#kept = []
	}

	/** Ends it, unless somebody has taken it over, who decides then. */
	abandon(reason: Error): void {
		if (this.#handler !== null) return
		this.#abandoned ??= reason
		this.#controller?.abort(reason)
	}

	#tell(event: (handler: Dispatcher.DispatchHandler) => void): void {
		if (this.#handler) event(this.#handler)
		else this.#kept.push(event)
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		this.#controller = controller
		if (this.#abandoned) controller.abort(this.#abandoned)
		else this.#tell((handler) => handler.onRequestStart?.(controller, {}))
	}

	onResponseStart(
		controller: Dispatcher.DispatchController,
		status: number,
		headers: IncomingHttpHeaders,
	): void {
		this.#tell((handler) => handler.onResponseStart?.(controller, status, headers))
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		this.#tell((handler) => handler.onResponseData?.(controller, chunk))
	}

	onResponseEnd(controller: Dispatcher.DispatchController): void {
		this.#tell((handler) => handler.onResponseEnd?.(controller, {}))
	}

	onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
		this.#tell((handler) => handler.onResponseError?.(controller, error))
	}
}

/** One HTTP exchange with an MCP server. A class that tells a listener, so that a call costs one object and no closures. */
export class Exchange implements Dispatcher.DispatchHandler {
	readonly #dispatcher: Dispatcher
	readonly #request: ExchangeRequest
	readonly #listener: ExchangeListener
	#controller: Dispatcher.DispatchController | null = null
	#abortedWith: Error | null = null
	#status = 0
	/** Of the response, once it began. */
	headers: IncomingHttpHeaders = {}
	#reader: EventStreamReader | null = null
	#chunks: Buffer[] = nothing as Buffer[]
	#size = 0
	#isOver = false
	#redirects = 0
	/** Where the same request goes once more, as the server says. */
	#redirectTo: string | null = null

	/** `isBegun`: it is under way, and whoever began it will hand it over to this. */
	constructor(dispatcher: Dispatcher, request: ExchangeRequest, listener: ExchangeListener, isBegun = false) {
		this.#dispatcher = dispatcher
		this.#request = request
		this.#listener = listener
		if (!isBegun) this.#dispatch(request.path)
	}

	/** Ends the exchange and closes its connection. */
	abort(reason: Error): void {
		this.#abortedWith = reason
		this.#controller?.abort(reason)
		this.#fail(reason)
	}

	/** Where its event stream can be taken up again, or null when it is none that can. */
	get resumption(): { lastEventId: string; retryMs: number } | null {
		if (!this.#reader?.lastEventId) return null
		return { lastEventId: this.#reader.lastEventId, retryMs: this.#reader.retryMs ?? defaultRetryMs }
	}

	get paused(): boolean {
		return this.#controller?.paused ?? false
	}

	pause(): void {
		this.#controller?.pause()
	}

	resume(): void {
		this.#controller?.resume()
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		this.#controller = controller
		if (this.#abortedWith) controller.abort(this.#abortedWith)
		else this.#listener.sent?.()
	}

	onResponseStart(
		controller: Dispatcher.DispatchController,
		status: number,
		headers: IncomingHttpHeaders,
	): void {
		if (status < 200) return
		this.#status = status
		this.headers = headers
		const encoding = headers['content-encoding']
		if (encoding && encoding !== 'identity')
			controller.abort(new Error(`The answer is compressed (${encoding}), which was not asked for.`))
		if (status < 300 && /^\s*text\/event-stream\b/i.test(headers['content-type'] ?? ''))
			this.#reader = new EventStreamReader((data, name) => this.#take(data, name), this.#request.messageBytes)
		if (status === 307 || status === 308) this.#redirect(headers.location)
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		try {
			this.#size += chunk.length
			if (this.#reader) this.#read(this.#reader, chunk)
			else this.#keep(chunk)
		} catch (error) {
			controller.abort(error as Error)
		}
	}

	onResponseEnd(): void {
		if (this.#redirectTo !== null) return void this.#follow(this.#redirectTo)
		if (this.#isOver) return
		this.#isOver = true
		const body = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)
		const streamed = this.#reader !== null
		this.#listener.ended({ status: this.#status, headers: this.headers, body, streamed })
	}

	onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
		this.#fail(error)
	}

	#dispatch(path: string): void {
		const { origin, method, headers, body, idleMs } = this.#request
		this.#dispatcher.dispatch(
			{ origin, path, method, headers, body, headersTimeout: idleMs, bodyTimeout: idleMs },
			this,
		)
	}

	#fail(error: Error): void {
		if (this.#isOver) return
		this.#isOver = true
		this.#listener.failed(error)
	}

	/** An event without data (a server sends one to name a stream) is none. */
	#take(data: string, name: string): void {
		if (data !== '' && name === 'message') this.#listener.message?.(data)
	}

	#read(reader: EventStreamReader, chunk: Buffer): void {
		const { streamBytes } = this.#request
		if (streamBytes !== undefined && this.#size > streamBytes) throw new Error('The stream is too large.')
		reader.push(chunk)
	}

	#keep(chunk: Buffer): void {
		const { messageBytes } = this.#request
		if (this.#size > messageBytes) throw new Error(`The answer is larger than ${messageBytes} bytes.`)
		if (this.#chunks === nothing) this.#chunks = [chunk]
		else this.#chunks.push(chunk)
	}

	/** Frameworks send `/mcp` to `/mcp/`. Stored headers go to no other origin, and a server that redirects for ever is none. */
	#redirect(location: string | undefined): void {
		const { origin, path } = this.#request
		const target = location === undefined ? null : URL.parse(location, origin + path)
		if (target?.origin !== origin || this.#redirects === redirectsMost) return
		this.#redirects += 1
		this.#redirectTo = target.pathname + target.search
	}

	#follow(path: string): void {
		this.#redirectTo = null
		this.#chunks = nothing as Buffer[]
		this.#size = 0
		if (!this.#abortedWith) this.#dispatch(path)
	}
}

/** An exchange of which only the end matters. */
export function exchangeOnce(dispatcher: Dispatcher, request: ExchangeRequest): Promise<ExchangeEnd> {
	return new Promise((resolve, reject) => {
		new Exchange(dispatcher, request, { ended: resolve, failed: reject })
	})
}
