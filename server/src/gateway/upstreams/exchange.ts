import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { SseParser } from './sse-parser.ts'

export interface ExchangeRequest {
	origin: string
	path: string
	method: 'POST' | 'GET' | 'DELETE'
	headers: Record<string, string>
	body: string | null
	/** Longest silence before the headers and between two pieces of the body. */
	idleMs: number
	/** Largest single message. */
	messageBytes: number
	/** Most of all its messages together; none for a stream that stays open. */
	streamBytes?: number
	/** Told when the first of its bytes is about to leave. */
	onSent?(): void
}

const defaultRetryMs = 1000

export interface ExchangeEnd {
	status: number
	headers: IncomingHttpHeaders
	/** The body when it was no event stream. */
	body: Buffer
	/** Whether the messages came as an event stream. */
	streamed: boolean
}

/**
 * One HTTP exchange with an upstream: calls back for each message of an event stream, resolves at the end with the rest.
 * A class, so that a call costs one object and no closures.
 */
export class Exchange implements Dispatcher.DispatchHandler {
	readonly done: Promise<ExchangeEnd>
	readonly #messageBytes: number
	readonly #streamBytes: number
	readonly #onMessage: (text: string) => void
	readonly #onSent: (() => void) | undefined
	#resolve!: (end: ExchangeEnd) => void
	#reject!: (error: Error) => void
	#controller: Dispatcher.DispatchController | null = null
	#abortedWith: Error | null = null
	#status = 0
	/** Of the response, once it began. */
	headers: IncomingHttpHeaders = {}
	#parser: SseParser | null = null
	#chunks: Buffer[] = []
	#size = 0

	constructor(dispatcher: Dispatcher, request: ExchangeRequest, onMessage: (text: string) => void) {
		this.#messageBytes = request.messageBytes
		this.#streamBytes = request.streamBytes ?? Number.POSITIVE_INFINITY
		this.#onMessage = onMessage
		this.#onSent = request.onSent
		this.done = new Promise((resolve, reject) => {
			this.#resolve = resolve
			this.#reject = reject
		})
		const { origin, path, method, headers, body, idleMs } = request
		dispatcher.dispatch(
			{ origin, path, method, headers, body, headersTimeout: idleMs, bodyTimeout: idleMs },
			this,
		)
	}

	/** Ends the exchange and closes its connection. */
	abort(reason: Error): void {
		this.#abortedWith = reason
		this.#controller?.abort(reason)
		this.#reject(reason)
	}

	/** Where its event stream can be taken up again, or null when it is none that can. */
	get resumption(): { lastEventId: string; retryMs: number } | null {
		if (!this.#parser?.lastEventId) return null
		return { lastEventId: this.#parser.lastEventId, retryMs: this.#parser.retryMs ?? defaultRetryMs }
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
		else this.#onSent?.()
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
			this.#parser = new SseParser(this.#onMessage, this.#messageBytes)
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		try {
			this.#size += chunk.length
			if (this.#parser) this.#parse(this.#parser, chunk)
			else this.#keep(chunk)
		} catch (error) {
			controller.abort(error as Error)
		}
	}

	#parse(parser: SseParser, chunk: Buffer): void {
		if (this.#size > this.#streamBytes) throw new Error('The stream is too large.')
		parser.push(chunk)
	}

	#keep(chunk: Buffer): void {
		if (this.#size > this.#messageBytes) throw new Error('The answer is too large.')
		this.#chunks.push(chunk)
	}

	onResponseEnd(): void {
		const body = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)
		this.#resolve({ status: this.#status, headers: this.headers, body, streamed: this.#parser !== null })
	}

	onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
		this.#reject(error)
	}
}
