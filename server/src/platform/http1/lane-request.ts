import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestHead } from './read-message.ts'

/** Buffer for a body that its handler does not read yet; beyond it the client has to wait. */
const maxWaitingBytes = 64 * 1024

/** A request on the fast lane: the part of `http.IncomingMessage` that the data plane uses. */
export class LaneRequest extends EventEmitter {
	readonly httpVersion = '1.1'
	readonly method = 'POST'
	readonly url: string
	readonly headers: Record<string, string>
	readonly rawHeaders: string[]
	readonly socket: Socket
	/** See `RequestHead`: a key for caching what is derived from a head when the same head is sent again. */
	readonly headKey: object | null
	/** Whether the whole body has arrived. */
	complete = false
	destroyed = false
	#waiting: Buffer[] = []
	#waitingBytes = 0
	#missingBytes: number
	#flowing = false
	#discarded = false
	#ended = false
	#onEnd: (() => void) | null = null

	constructor(head: RequestHead, socket: Socket) {
		super()
		this.url = head.target
		this.headers = head.fields.byName as Record<string, string>
		this.rawHeaders = head.fields.raw
		this.headKey = head.headKey
		this.socket = socket
		this.#missingBytes = head.contentLength
		this.complete = head.contentLength === 0
	}

	/** Resolves when the whole body has arrived, or no more of it will. For bodies of at most `maxWaitingBytes`. */
	ended(): Promise<void> {
		return new Promise((resolve) => {
			this.#onEnd = resolve
		})
	}

	/** The whole body, if it has arrived and nobody has started to read it; this does not consume it. */
	get whole(): Buffer | null {
		if (!this.complete || this.#flowing || this.#discarded) return null
		if (this.#waiting.length !== 1) this.#waiting = [Buffer.concat(this.#waiting)]
		return this.#waiting[0] as Buffer
	}

	/** Consumes the whole body, if it has arrived and nobody has started to read it; no events are emitted for it then. */
	consumeBody(): Buffer | null {
		const { whole } = this
		if (whole === null) return null
		this.#flowing = true
		this.#ended = true
		this.#waiting = []
		return whole
	}

	/** Adds bytes of its body; returns how many bytes of the piece belong to it. */
	push(piece: Buffer): number {
		const taken = Math.min(piece.length, this.#missingBytes)
		this.#missingBytes -= taken
		this.complete = this.#missingBytes === 0
		if (this.#discarded) return taken
		if (taken > 0) {
			const own = taken === piece.length ? piece : piece.subarray(0, taken)
			if (this.#flowing) this.emit('data', own)
			else {
				this.#waiting.push(own)
				this.#waitingBytes += taken
				if (this.#waitingBytes > maxWaitingBytes && !this.complete) this.socket.pause()
			}
		}
		if (this.complete) this.#onEnd?.()
		if (this.#flowing && this.complete) this.#end()
		return taken
	}

	override on(name: string | symbol, listener: (...args: never[]) => void): this {
		super.on(name, listener as (...args: unknown[]) => void)
		if (name === 'data' && !this.#flowing && !this.#discarded) {
			this.#flowing = true
			// A listener for data adds its listener for the end synchronously.
			queueMicrotask(() => this.#flow())
		}
		return this
	}

	override addListener(name: string | symbol, listener: (...args: never[]) => void): this {
		return this.on(name, listener)
	}

	#flow(): void {
		const waiting = this.#waiting
		this.#waiting = []
		for (const piece of waiting) this.emit('data', piece)
		if (this.complete) this.#end()
		else this.socket.resume()
	}

	#end(): void {
		if (this.#ended || this.destroyed) return
		this.#ended = true
		this.emit('end')
	}

	/** Discards the rest of the body. */
	resume(): this {
		if (this.#flowing) return this
		this.#discarded = true
		this.#waiting = []
		this.socket.resume()
		return this
	}

	pause(): this {
		this.socket.pause()
		return this
	}

	/** The connection has closed. */
	cutOff(): void {
		if (this.destroyed) return
		this.destroyed = true
		this.#onEnd?.()
		if (!this.complete && this.listenerCount('error') > 0) this.emit('error', new ConnectionReset())
		this.emit('close')
	}

	destroy(): this {
		this.socket.destroy()
		return this
	}
}

/** Wraps a function that depends on the head only; for a repeated head on a connection the result is cached. */
export function cachedByHead<T>(read: (request: IncomingMessage) => T): (request: IncomingMessage) => T {
	const known = new WeakMap<object, { found: T }>()
	return (request) => {
		const lane: unknown = request
		const headKey = lane instanceof LaneRequest ? lane.headKey : null
		if (headKey === null) return read(request)
		let again = known.get(headKey)
		if (again === undefined) {
			again = { found: read(request) }
			known.set(headKey, again)
		}
		return again.found
	}
}

class ConnectionReset extends Error {
	readonly code = 'ECONNRESET'
	constructor() {
		super('aborted')
	}
}
