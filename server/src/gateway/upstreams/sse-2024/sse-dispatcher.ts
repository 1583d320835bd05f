import { randomUUID } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { DispatcherBase } from '../../../platform/undici.ts'
import { objectIn, PipeExchange, parseRpc } from '../../../servers/programs/index.ts'
import { type SseLimits, SseLine } from './sse-line.ts'

const scheme = 'sse+'

/**
 * Speaks streamable HTTP for servers of the 2024 transport (origins `sse+https://…`), so that the eras need to know one
 * transport only: our `initialize` opens a stream, whose life is the session. All else goes to `next`.
 */
export class SseDispatcher extends DispatcherBase {
	readonly #next: Dispatcher
	readonly #limits: SseLimits
	readonly #lines = new Map<string, SseLine>()

	constructor(next: Dispatcher, limits: SseLimits) {
		super()
		this.#next = next
		this.#limits = limits
	}

	override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
		const origin = String(options.origin)
		if (!origin.startsWith(scheme)) return this.#next.dispatch(options, handler)
		const abort = { run: () => {} }
		const exchange = new PipeExchange(handler, options.headersTimeout ?? 0, () => abort.run())
		const headers = options.headers as Record<string, string>
		const target = { origin: origin.slice(scheme.length), path: options.path, headers: ownHeaders(headers) }
		const session = headers['mcp-session-id']
		const message = parseRpc(typeof options.body === 'string' ? options.body : '')
		if (options.method === 'POST' && message?.method === 'initialize') {
			const isShared = Object.keys(objectIn(objectIn(message.params).capabilities)).length === 0
			this.#open({ target, message, isShared, exchange, abort })
			return true
		}
		const line = session === undefined ? undefined : this.#lines.get(session)
		if (!line) exchange.status(404)
		else if (options.method === 'DELETE') {
			line.close()
			exchange.status(204)
		} else if (options.method === 'GET') listen(line, exchange, abort)
		else if (message) pass(line, message, exchange, abort)
		else exchange.status(400)
		return true
	}

	#open({ target, message, isShared, exchange, abort }: Opening): void {
		const id = randomUUID()
		const line = new SseLine(this.#next, target, this.#limits, {
			isShared,
			onEnd: () => this.#lines.delete(id),
		})
		this.#lines.set(id, line)
		// Without its handshake nobody would ever end the stream.
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
	if (typeof message.method === 'string') line.peer.notify(message, '')
	else line.peer.answer(message)
	exchange.status(202)
}

/** The server's own headers; those of our sessions mean nothing to it. */
function ownHeaders(headers: Record<string, string>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(mcp-|last-event-id$)/i.test(name)))
}
