import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import type { Dispatcher } from 'undici'

export interface EventStreamEvents {
	/** An event with its name, `message` when it has none. */
	event(name: string, data: string): void
	/** Once. */
	ended(error: Error): void
}

/** A GET stream of events, of any kind and without an end. */
export class EventStream implements Dispatcher.DispatchHandler {
	readonly #events: EventStreamEvents
	readonly #decoder = new StringDecoder('utf8')
	readonly #parser: ReturnType<typeof createParser>
	#controller: Dispatcher.DispatchController | null = null
	#isOver = false

	constructor(
		dispatcher: Dispatcher,
		target: { origin: string; path: string; headers: Record<string, string> },
		limits: { headersMs: number; eventBytes: number },
		events: EventStreamEvents,
	) {
		this.#events = events
		this.#parser = createParser({
			maxBufferSize: limits.eventBytes,
			onEvent: ({ event = 'message', data }) => events.event(event, data),
			onError: ({ type }) => type === 'max-buffer-size-exceeded' && this.close(tooLarge()),
		})
		const times = { headersTimeout: limits.headersMs, bodyTimeout: 0 }
		dispatcher.dispatch({ ...target, method: 'GET', ...times }, this)
	}

	close(reason: Error): void {
		this.#end(reason)
		this.#controller?.abort(reason)
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		this.#controller = controller
		if (this.#isOver) controller.abort(new Error('Nobody listens any more.'))
	}

	onResponseStart(
		controller: Dispatcher.DispatchController,
		status: number,
		headers: Record<string, string | string[] | undefined>,
	): void {
		if (status < 200) return
		if (status >= 300) controller.abort(new Error(`The event stream answered HTTP ${status}.`))
		else if (!/^\s*text\/event-stream\b/i.test(String(headers['content-type'])))
			controller.abort(new Error('The answer is no event stream.'))
	}

	onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
		if (!this.#isOver) this.#parser.feed(this.#decoder.write(chunk))
	}

	onResponseEnd(): void {
		// For a call that waits the connection was cut.
		this.#end(Object.assign(new Error('The server ended its event stream.'), { code: 'ECONNRESET' }))
	}

	onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
		this.#end(error)
	}

	#end(error: Error): void {
		if (this.#isOver) return
		this.#isOver = true
		this.#events.ended(error)
	}
}

function tooLarge(): Error {
	return new Error('An event of the stream is too large.')
}
