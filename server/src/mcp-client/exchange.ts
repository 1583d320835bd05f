import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { EventStreamReader } from '../platform/event-stream-reader.ts'
import { firstValue } from './header-text.ts'

export interface ExchangeRequest {
	origin: string
	path: string
	method: 'POST' | 'GET' | 'DELETE' | 'OPTIONS'
	headers: Record<string, string>
	body: string | null
	/** Whether it may be sent again if the server closed a kept connection before it responded; by default only a GET may. */
	repeatable?: boolean
	/** Longest silence before the headers and between two chunks of the body. */
	idleMs: number
	/** Largest single message, in bytes. */
	messageBytes: number
	/** Limit of all messages together, in bytes; absent for a stream that stays open. */
	streamBytes?: number
}

/** Receives the events of an exchange: the messages of an event stream, then `ended` or `failed`. */
export interface ExchangeListener {
	/** Called just before the first byte is sent. */
	sent?(): void
	message?(text: string): void
	ended(end: ExchangeEnd): void
	failed(error: Error): void
}

export interface ExchangeEnd {
	status: number
	headers: IncomingHttpHeaders
	/** The body, unless it was an event stream. */
	body: Buffer
	/** Whether the messages came as an event stream. */
	streamed: boolean
}

const defaultRetryMs = 1000
const maxRedirects = 3
const nothing: readonly Buffer[] = []

/** A request started elsewhere that is already under way. Its events are buffered in order until it is handed over. */
export class StartedExchange implements Dispatcher.DispatchHandler {
	/** The id of the message. */
	readonly id: number
	#controller: Dispatcher.DispatchController | null = null
	#abandoned: Error | null = null
	#handler: Dispatcher.DispatchHandler | null = null
	#kept: ((handler: Dispatcher.DispatchHandler) => void)[] = []

	constructor(id: number) {
		this.id = id
	}

	/** Hands over to `handler`, which first gets the buffered events. */
	handTo(handler: Dispatcher.DispatchHandler): void {
		this.#handler = handler
		for (const event of this.#kept) event(handler)
		this.#kept = []
	}

	/** Aborts the request unless it has been handed over: then its new owner decides. */
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

/**
 * One HTTP exchange with an MCP server. It calls a listener instead of returning promises, so that a call costs one object and no
 * closures.
 */
export class Exchange implements Dispatcher.DispatchHandler {
	readonly #dispatcher: Dispatcher
	readonly #request: ExchangeRequest
	readonly #listener: ExchangeListener
	#controller: Dispatcher.DispatchController | null = null
	#abortedWith: Error | null = null
	#status = 0
	/** The headers of the response, once it has begun. */
	headers: IncomingHttpHeaders = {}
	#reader: EventStreamReader | null = null
	#chunks: Buffer[] = nothing as Buffer[]
	#size = 0
	#isOver = false
	/** The event that was received last in the stream that this one resumes, until the first message has come. */
	#resumesAfter: string | undefined
	#redirects = 0
	/** The path of a redirect, to which the same request is sent again. */
	#redirectTo: string | null = null

	/** `isBegun`: the request is already under way and will be handed over to this exchange. */
	constructor(dispatcher: Dispatcher, request: ExchangeRequest, listener: ExchangeListener, isBegun = false) {
		this.#dispatcher = dispatcher
		this.#request = request
		this.#listener = listener
		this.#resumesAfter = request.headers['last-event-id']
		if (!isBegun) this.#dispatch(request.path)
	}

	/** Ends the exchange and closes its connection. */
	abort(reason: Error): void {
		this.#abortedWith = reason
		this.#controller?.abort(reason)
		this.#fail(reason)
	}

	/** Where the event stream can be resumed, or null if it cannot. */
	get resumption(): { lastEventId: string; retryMs: number } | null {
		if (!this.#reader?.lastEventId) return null
		return { lastEventId: this.#reader.lastEventId, retryMs: this.#reader.retryMs ?? defaultRetryMs }
	}

	/** Whether the response is an event stream. */
	get isStream(): boolean {
		return this.#reader !== null
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
			this.#refuse(controller, new Error(`The answer is compressed (${encoding}), which was not asked for.`))
		if (status < 300 && /^\s*text\/event-stream\b/i.test(headers['content-type'] ?? ''))
			this.#reader = new EventStreamReader(
				(data, name, id) => this.#take(data, name, id),
				this.#request.messageBytes,
			)
		if (status === 307 || status === 308) this.#redirect(firstValue(headers.location))
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		if (this.#isOver) return
		try {
			this.#size += chunk.length
			if (this.#reader) this.#read(this.#reader, chunk)
			else this.#keep(chunk)
		} catch (error) {
			this.#refuse(controller, error as Error)
		}
	}

	onResponseEnd(): void {
		if (this.#isOver) return
		if (this.#redirectTo !== null) return void this.#follow(this.#redirectTo)
		this.#isOver = true
		const body = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)
		const streamed = this.#reader !== null
		this.#listener.ended({ status: this.#status, headers: this.headers, body, streamed })
	}

	onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
		this.#fail(error)
	}

	#dispatch(path: string): void {
		const { origin, method, headers, body, repeatable, idleMs } = this.#request
		const times = { headersTimeout: idleMs, bodyTimeout: idleMs }
		const options = { origin, path, method, headers, body, ...times }
		this.#dispatcher.dispatch(repeatable ? { ...options, idempotent: true } : options, this)
	}

	/** Ends the exchange because of what the server sent. One that was handed over may have ended already, and ignores `abort`. */
	#refuse(controller: Dispatcher.DispatchController, error: Error): void {
		controller.abort(error)
		this.#fail(error)
	}

	#fail(error: Error): void {
		if (this.#isOver) return
		this.#isOver = true
		this.#listener.failed(error)
	}

	/**
	 * An event without data counts as none: some servers send one only to give an event id. A stream that is resumed after an event
	 * begins with that same event at some servers (rmcp).
	 */
	#take(data: string, name: string, id: string | undefined): void {
		if (data === '' || name !== 'message') return
		const isRepeated = id !== undefined && id === this.#resumesAfter
		this.#resumesAfter = undefined
		if (!isRepeated) this.#listener.message?.(data)
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

	/**
	 * Follows redirects, as frameworks redirect `/mcp` to `/mcp/`. Stored headers are sent to no other origin, and only a few
	 * redirects are followed.
	 */
	#redirect(location: string | undefined): void {
		const { origin, path } = this.#request
		const target = location === undefined ? null : URL.parse(location, origin + path)
		if (target?.origin !== origin || this.#redirects === maxRedirects) return
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

/** Runs an exchange of which only the end matters. */
export function exchangeOnce(dispatcher: Dispatcher, request: ExchangeRequest): Promise<ExchangeEnd> {
	return new Promise((resolve, reject) => {
		new Exchange(dispatcher, request, { ended: resolve, failed: reject })
	})
}
