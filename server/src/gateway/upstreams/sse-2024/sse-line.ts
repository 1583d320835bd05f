import type { Dispatcher } from 'undici'
import { type PipeExchange, PipePeer } from '../../../servers/programs/index.ts'
import { Exchange } from '../exchange.ts'
import { EventStream } from './event-stream.ts'

export interface SseTarget {
	origin: string
	path: string
	headers: Record<string, string>
}

export interface SseLimits {
	handshakeMs: number
	answerBytes: number
}

/**
 * One session of the 2024 transport: messages go by POST to the address that the first event of a GET stream names, and
 * everything comes back in that stream.
 */
export class SseLine {
	readonly peer: PipePeer
	/** The GET streams of our side. */
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
			send: (text, wireId) => void this.#post(text, wireId),
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

	async #post(text: string, wireId?: number): Promise<void> {
		try {
			const path = this.#pathOf(await this.#endpoint)
			const request = { ...this.#target, path, method: 'POST' as const, body: text }
			const bounds = { idleMs: this.#limits.handshakeMs, messageBytes: 65_536 }
			const { status } = await new Exchange(this.#dispatcher, { ...request, ...bounds }, () => {}).done
			if (status >= 300) throw new Error(`A message was answered by HTTP ${status}.`)
		} catch (error) {
			if (wireId !== undefined) this.peer.failOne(wireId, this.#failed ?? (error as Error))
		}
	}

	/** The address must be of the stream's own origin: the stored headers go there. */
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
