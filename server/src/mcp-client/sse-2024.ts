import { randomUUID } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { EventStreamReader } from '../platform/event-stream-reader.ts'
import { SchemeDispatcher } from '../platform/undici.ts'
import { exchangeOnce } from './exchange.ts'
import { PipeExchange } from './pipe/pipe-exchange.ts'
import { PipePeer } from './pipe/pipe-peer.ts'
import { objectIn, parseRpc } from './pipe/rpc-text.ts'

/**
 * Translates streamable HTTP for servers of the 2024 transport (origins `sse+https://…`), so that all other code uses one
 * transport: an `initialize` opens a stream, which is the session. All other requests go to `next`.
 */
export class SseDispatcher extends SchemeDispatcher {
	readonly #limits: SseLimits
	readonly #lines = new Map<string, SseLine>()

	constructor(next: Dispatcher, limits: SseLimits) {
		super('sse+', next)
		this.#limits = limits
	}

	protected override carry(
		origin: string,
		options: Dispatcher.DispatchOptions,
		handler: Dispatcher.DispatchHandler,
	): void {
		const abort = { run: () => {} }
		const exchange = new PipeExchange(handler, options.headersTimeout ?? 0, () => abort.run())
		const headers = options.headers as Record<string, string>
		const target = { origin, path: options.path, headers: ownHeaders(headers) }
		const session = headers['mcp-session-id']
		const message = parseRpc(typeof options.body === 'string' ? options.body : '')
		if (options.method === 'POST' && message?.method === 'initialize') {
			const isShared = Object.keys(objectIn(objectIn(message.params).capabilities)).length === 0
			return void this.#open({ target, message, isShared, exchange, abort })
		}
		const line = session === undefined ? undefined : this.#lines.get(session)
		if (!line) exchange.status(404)
		else if (options.method === 'DELETE') {
			line.close()
			exchange.status(204)
		} else if (options.method === 'GET') listen(line, exchange, abort)
		else if (message) pass(line, message, exchange, abort)
		else exchange.status(400)
	}

	/** Ends all sessions. */
	closeLines(): void {
		for (const line of this.#lines.values()) line.close()
	}

	#open({ target, message, isShared, exchange, abort }: Opening): void {
		const id = randomUUID()
		const line = new SseLine(this.next, target, this.#limits, {
			isShared,
			onEnd: () => this.#lines.delete(id),
		})
		this.#lines.set(id, line)
		// If the handshake fails, nobody would ever close the stream.
		const answer = exchange.expect({ 'mcp-session-id': id }, (text) => {
			if (parseRpc(text)?.result === undefined) line.close()
		})
		line.peer.request(message, '', answer)
		abort.run = () => line.close()
	}
}

interface Abort {
	run(): void
}

interface Opening {
	target: { origin: string; path: string; headers: Record<string, string> }
	message: Record<string, unknown>
	isShared: boolean
	exchange: PipeExchange
	abort: Abort
}

function listen(line: SseLine, exchange: PipeExchange, abort: Abort): void {
	line.streams.add(exchange)
	abort.run = () => line.streams.delete(exchange)
	exchange.openStream()
}

function pass(line: SseLine, message: Record<string, unknown>, exchange: PipeExchange, abort: Abort): void {
	if (typeof message.method === 'string' && message.id !== undefined) {
		const wireId = line.peer.request(message, '', exchange)
		abort.run = () => line.peer.cancel(wireId)
		return
	}
	// Answered only after delivery, because what is sent after the 202 may depend on it: some servers offer tools only after
	// `notifications/initialized`.
	void passOneWay(line, message).then((error) => (error ? exchange.fail(error) : exchange.status(202)))
}

async function passOneWay({ peer }: SseLine, message: Record<string, unknown>): Promise<Error | null> {
	const sent = typeof message.method === 'string' ? peer.notify(message, '') : peer.answer(message)
	return (await sent) ?? null
}

/** The server's configured headers. Those of streamable HTTP sessions mean nothing to it. */
function ownHeaders(headers: Record<string, string>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(mcp-|last-event-id$)/i.test(name)))
}

interface SseTarget {
	origin: string
	path: string
	headers: Record<string, string>
}

interface SseLimits {
	handshakeMs: number
	answerBytes: number
}

/**
 * One session of the 2024 transport: messages are posted to the address in the first event of a GET stream, and all answers
 * arrive on that stream.
 */
class SseLine {
	readonly peer: PipePeer
	/** The GET streams on this side. */
	readonly streams = new Set<PipeExchange>()
	readonly #dispatcher: Dispatcher
	readonly #target: SseTarget
	readonly #limits: SseLimits
	readonly #stream: EventStream
	readonly #endpoint: Promise<string>
	#failed: Error | null = null

	constructor(
		dispatcher: Dispatcher,
		target: SseTarget,
		limits: SseLimits,
		options: { isShared: boolean; onEnd(): void },
	) {
		this.#dispatcher = dispatcher
		this.#target = target
		this.#limits = limits
		this.peer = new PipePeer({
			send: (text, wireId) => this.#post(text, wireId),
			garbage: () => {},
			streams: () => this.streams,
			isShared: options.isShared,
		})
		const { resolve, reject, promise } = Promise.withResolvers<string>()
		this.#endpoint = promise
		promise.catch(() => {})
		const { 'content-type': _, ...headers } = target.headers
		const stream = { ...target, headers: { ...headers, accept: 'text/event-stream' } }
		const bounds = { headersMs: limits.handshakeMs, eventBytes: limits.answerBytes }
		this.#stream = new EventStream(dispatcher, stream, bounds, {
			event: (name, data) => {
				if (name === 'endpoint') resolve(data)
				else if (name === 'message') this.peer.receive(data)
			},
			ended: (error) => {
				reject(error)
				this.#fail(error)
				options.onEnd()
			},
		})
	}

	close(): void {
		this.#stream.close(new Error('The session was ended.'))
	}

	/** Resolves with the error that prevented delivery. */
	async #post(text: string, wireId?: number): Promise<Error | null> {
		try {
			const path = this.#pathOf(await this.#endpoint)
			const request = { ...this.#target, path, method: 'POST' as const, body: text }
			const bounds = { idleMs: this.#limits.handshakeMs, messageBytes: 65_536 }
			const { status } = await exchangeOnce(this.#dispatcher, { ...request, ...bounds })
			if (status >= 300) throw new Error(`A message was answered by HTTP ${status}.`)
			return null
		} catch (error) {
			const cause = this.#failed ?? (error as Error)
			if (wireId !== undefined) this.peer.failOne(wireId, cause)
			return cause
		}
	}

	/** The address must have the stream's own origin, because the stored headers are sent there. */
	#pathOf(endpoint: string): string {
		const { origin, path } = this.#target
		const url = URL.parse(endpoint, origin + path)
		if (url?.origin === origin) return url.pathname + url.search
		throw new Error('The event stream names an endpoint of another origin.')
	}

	#fail(error: Error): void {
		this.#failed = error
		this.peer.fail(error)
		for (const stream of this.streams) stream.fail(error)
	}
}

/** The address does not have a server of the 2024 transport. */
export class NoEventStream extends Error {}

interface EventStreamEvents {
	/** An event with its name, `message` when it has none. */
	event(name: string, data: string): void
	/** Called once. */
	ended(error: Error): void
}

/** A GET stream of events of any kind, without an end. */
class EventStream implements Dispatcher.DispatchHandler {
	readonly #events: EventStreamEvents
	readonly #reader: EventStreamReader
	#controller: Dispatcher.DispatchController | null = null
	#isOver = false

	constructor(
		dispatcher: Dispatcher,
		target: { origin: string; path: string; headers: Record<string, string> },
		limits: { headersMs: number; eventBytes: number },
		events: EventStreamEvents,
	) {
		this.#events = events
		this.#reader = new EventStreamReader((data, name) => events.event(name, data), limits.eventBytes)
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
		if (status >= 300) controller.abort(new NoEventStream(`The event stream answered HTTP ${status}.`))
		else if (!/^\s*text\/event-stream\b/i.test(String(headers['content-type'])))
			controller.abort(new NoEventStream('The answer is no event stream.'))
	}

	onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
		if (this.#isOver) return
		try {
			this.#reader.push(chunk)
		} catch (error) {
			this.close(error as Error)
		}
	}

	onResponseEnd(): void {
		// For a waiting call, this is a cut connection.
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
