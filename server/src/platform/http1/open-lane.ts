import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LaneRequest } from './lane-request.ts'
import { LaneResponse } from './lane-response.ts'
import { headEnd, headLimitBytes, RequestHeads, readSocket } from './read-message.ts'

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

export interface LaneOptions {
	/** Whether requests to this target may use the fast lane. */
	takes(target: string): boolean
	handle: RequestHandler
	/** Takes connections of HTTP/2, which `node:http` cannot read. */
	http2?: Http2Sessions | undefined
	keepAliveMs: number
	/** Time limit for the first byte of a connection and between pieces of a body. */
	patienceMs: number
}

/** Serves connections of HTTP/2. */
export interface Http2Sessions {
	/** Takes a connection whose first bytes are still in the paused socket. */
	accept(socket: Socket): void
	/** Lets running requests finish within `graceMs`. Call what it returns when all connections have ended. */
	end(graceMs: number): () => void
}

/** The bytes with which a client of HTTP/2 begins. */
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** Whether the first bytes of a connection are those of HTTP/2. */
export function isHttp2(first: Buffer): boolean {
	return first.length > 3 && preface.indexOf(first.subarray(0, preface.length)) === 0
}

const post = Buffer.from('POST ')
/** Interval of the check for silent connections. */
const silencesEveryMs = 1000
/** An idle connection is kept this much longer than announced, as by `node:http`: a request sent in time takes a while to arrive. */
const keptLongerMs = 1000
/** Bytes that a client may send ahead before its socket is paused. */
const maxAheadBytes = 64 * 1024

/**
 * Puts the fast lane in front of an HTTP server. Plain data-plane requests are read directly on the socket. At the first request of
 * any other kind, the connection moves to `node:http` with its bytes unchanged. Exporters of OTLP use gRPC or HTTP by default, depending on
 * their language, so one of HTTP/2 is taken as well.
 */
export function openLane(server: Server, options: LaneOptions): Lane {
	const [toHttp] = server.listeners('connection') as ((socket: Socket) => void)[]
	if (!toHttp) throw new Error('The HTTP server does not listen for connections.')
	const { http2 } = options
	const lane = new Lane(options, (socket, first) => {
		if (http2 && isHttp2(first)) return http2.accept(socket)
		toHttp.call(server, socket)
		socket.resume()
	})
	server.removeAllListeners('connection')
	server.on('connection', (socket) => lane.add(socket))
	return lane
}

export class Lane {
	readonly #options: LaneOptions
	readonly #toHttp: (socket: Socket, first: Buffer) => void
	readonly #open = new Set<LaneConnection>()
	#closing = false
	/** One timer for all connections: a timer per connection would be reset with every read and write. */
	#timer: NodeJS.Timeout | null = null

	constructor(options: LaneOptions, toHttp: (socket: Socket, first: Buffer) => void) {
		this.#options = options
		this.#toHttp = toHttp
	}

	get size(): number {
		return this.#open.size
	}

	add(socket: Socket): void {
		if (this.#closing) return void socket.destroy()
		const connection = new LaneConnection(socket, this.#options, (first) => {
			this.#open.delete(connection)
			if (first) this.#toHttp(socket, first)
		})
		this.#open.add(connection)
		this.#timer ??= setInterval(() => this.#endTheSilent(), silencesEveryMs).unref()
	}

	#endTheSilent(): void {
		const nowMs = performance.now()
		for (const connection of this.#open) connection.endIfSilent(nowMs)
		if (this.#open.size > 0 || this.#timer === null) return
		clearInterval(this.#timer)
		this.#timer = null
	}

	/** Accepts no further requests: idle connections end now, the others with their answers. */
	closeIdle(): void {
		this.#closing = true
		for (const connection of this.#open) connection.closeWhenIdle()
	}

	closeAll(): void {
		for (const connection of this.#open) connection.destroy()
	}
}

/** One client connection, while it sends what the fast lane accepts. */
class LaneConnection {
	readonly #socket: Socket
	readonly #options: LaneOptions
	/** Called once: with the bytes with which the connection moves to `node:http`, or with null when it ends. */
	readonly #onLeave: (first: Buffer | null) => void
	#request: LaneRequest | null = null
	#response: LaneResponse | null = null
	/** Bytes that arrived before their request's turn. */
	#ahead: Buffer | null = null
	#isServing = false
	#closes = false
	#bodyBeganMs = 0
	/** Until when the rest of a refused body is discarded; 0 if none is. */
	#discardsUntilMs = 0
	readonly #heads = new RequestHeads()
	/** Bytes transferred at the last check that saw progress, and its time. */
	#passedBytes = -1
	#silentSinceMs = 0
	/** How long the connection may be silent, unless it waits for an answer. */
	#patienceMs: number
	readonly #stopReading: () => void
	readonly #onDrain = () => this.#response?.emit('drain')
	readonly #onError = () => this.#socket.destroy()
	readonly #onClose = () => this.#gone()
	readonly #onEnd = () => this.#socket.destroySoon()

	constructor(socket: Socket, options: LaneOptions, onLeave: (first: Buffer | null) => void) {
		this.#socket = socket
		this.#options = options
		this.#onLeave = onLeave
		this.#patienceMs = Math.min(options.patienceMs, options.keepAliveMs)
		this.#stopReading = readSocket(socket, this.#take)
		socket.on('drain', this.#onDrain)
		socket.on('error', this.#onError)
		socket.on('end', this.#onEnd)
		socket.on('close', this.#onClose)
	}

	readonly #take = (piece: Buffer): void => {
		if (!this.#isServing) return void this.#begin(piece)
		const request = this.#request as LaneRequest
		if (this.#discardsUntilMs > 0) return void this.#discard(request, piece)
		if (!request.complete && performance.now() - this.#bodyBeganMs > maxBodyMs)
			return void this.#socket.destroy()
		const taken = request.complete ? 0 : request.push(piece)
		if (taken < piece.length) this.#keepAhead(taken === 0 ? piece : piece.subarray(taken))
		// The response was sent before the body had arrived.
		if (request.complete && this.#response === null) this.#nextTurn()
	}

	#keepAhead(rest: Buffer): void {
		this.#ahead = this.#ahead ? Buffer.concat([this.#ahead, rest]) : rest
		if (this.#ahead.length > maxAheadBytes) this.#socket.pause()
	}

	/** The first bytes of a request. If they are not a complete head in the strict form, they go to `node:http` unchanged. */
	#begin(piece: Buffer): void {
		const isPost = piece.length > 16 && piece.compare(post, 0, post.length, 0, post.length) === 0
		const end = isPost ? piece.indexOf(headEnd) : -1
		if (end < 0 || end > headLimitBytes) return void this.#handOver(piece)
		const head = this.#heads.read(piece, end)
		// The preceding bytes have been consumed by then.
		if (!head || (!head.headKey && !this.#options.takes(head.target))) return void this.#handOver(piece)
		this.#isServing = true
		const request = new LaneRequest(head, this.#socket)
		const response = new LaneResponse(request, this.#options.keepAliveMs / 1000, this.#onAnswered)
		response.closes = this.#closes
		this.#request = request
		this.#response = response
		this.#bodyBeganMs = request.complete ? 0 : performance.now()
		const from = end + headEnd.length
		if (from < piece.length) this.#take(piece.subarray(from))
		this.#options.handle(request as unknown as IncomingMessage, response as unknown as ServerResponse)
	}

	readonly #onAnswered = (): void => {
		const request = this.#request as LaneRequest
		const response = this.#response as LaneResponse
		this.#response = null
		if (response.closes || this.#closes) this.#closeAfter(request)
		else if (request.complete) this.#nextTurn()
		// Skips the rest of the body before the next request.
		else request.resume()
	}

	/**
	 * Closing a connection while bytes still arrive resets it, and many clients then lose the response, for example that their body
	 * is too large.
	 */
	#closeAfter(request: LaneRequest): void {
		if (request.complete) return void this.#socket.destroySoon()
		this.#discardsUntilMs = performance.now() + maxDiscardMs
		this.#socket.end()
		request.resume()
	}

	#discard(request: LaneRequest, piece: Buffer): void {
		request.push(piece)
		if (request.complete) this.#socket.destroySoon()
	}

	#nextTurn(): void {
		this.#isServing = false
		this.#request = null
		this.#patienceMs = this.#options.keepAliveMs + keptLongerMs
		const ahead = this.#ahead
		this.#ahead = null
		if (this.#socket.isPaused()) this.#socket.resume()
		if (ahead) this.#begin(ahead)
		else if (this.#closes) this.#socket.destroySoon()
	}

	#handOver(piece: Buffer): void {
		const socket = this.#socket
		this.#stopReading()
		socket.off('drain', this.#onDrain)
		socket.off('error', this.#onError)
		socket.off('end', this.#onEnd)
		socket.off('close', this.#onClose)
		socket.pause()
		socket.unshift(piece)
		this.#onLeave(piece)
	}

	/** Ends idle connections, and clients that stop within a body. */
	endIfSilent(nowMs: number): void {
		if (this.#discardsUntilMs > 0 && nowMs > this.#discardsUntilMs) return void this.#socket.destroy()
		const { bytesRead, bytesWritten } = this.#socket
		if (bytesRead + bytesWritten !== this.#passedBytes) {
			this.#passedBytes = bytesRead + bytesWritten
			this.#silentSinceMs = nowMs
		} else if (
			nowMs - this.#silentSinceMs >= this.#patienceMs &&
			!(this.#isServing && this.#request?.complete)
		)
			this.#endUnlessRead(bytesRead)
	}

	/** What arrived while the process was busy is read before the immediate; a request that arrived in time must not be lost. */
	#endUnlessRead(bytesRead: number): void {
		setImmediate(() => {
			if (this.#socket.bytesRead === bytesRead) this.#socket.destroy()
		})
	}

	#gone(): void {
		this.#onLeave(null)
		this.#request?.cutOff()
		this.#response?.cutOff()
		this.#response = null
	}

	closeWhenIdle(): void {
		this.#closes = true
		if (this.#response && !this.#response.headersSent) this.#response.closes = true
		if (!this.#isServing || this.#discardsUntilMs > 0) this.#socket.destroy()
	}

	destroy(): void {
		this.#socket.destroy()
	}
}

/** Time limit for a whole request body, the same as for `node:http`. */
const maxBodyMs = 300_000
/** How long a refused body may continue. */
const maxDiscardMs = 30_000
