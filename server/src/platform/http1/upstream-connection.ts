import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { errors } from '../undici.ts'
import {
	ChunkedBody,
	headEnd,
	headLimitBytes,
	type ResponseHead,
	ResponseHeads,
	readSocket,
} from './read-message.ts'

/** Up to this size head and body of a request are copied into one buffer, which is cheaper than two writes. */
const maxJoinedBytes = 16 * 1024

/** One request and its response; it is also the controller that its handler gets. */
export class UpstreamExchange implements Dispatcher.DispatchController {
	readonly handler: Dispatcher.DispatchHandler
	readonly head: string
	readonly body: Buffer | null
	/** May be retried if the server closed a kept connection before the first byte of a response. */
	readonly isSafe: boolean
	/** 0: no timeout. */
	readonly headersTimeoutMs: number
	readonly bodyTimeoutMs: number
	aborted = false
	paused = false
	reason: Error | null = null
	rawHeaders: string[] | null = null
	rawTrailers: string[] | null = null
	connection: UpstreamConnection | null = null
	isOver = false

	constructor(
		handler: Dispatcher.DispatchHandler,
		request: Pick<UpstreamExchange, 'head' | 'body' | 'isSafe' | 'headersTimeoutMs' | 'bodyTimeoutMs'>,
	) {
		this.handler = handler
		this.head = request.head
		this.body = request.body
		this.isSafe = request.isSafe
		this.headersTimeoutMs = request.headersTimeoutMs
		this.bodyTimeoutMs = request.bodyTimeoutMs
	}

	pause(): void {
		this.paused = true
		this.connection?.pause()
	}

	resume(): void {
		if (!this.paused) return
		this.paused = false
		this.connection?.resume()
	}

	abort(reason: Error): void {
		if (this.aborted || this.isOver) return
		this.aborted = true
		this.reason = reason
		this.connection?.destroy()
		this.fail(reason)
	}

	fail(error: Error): void {
		if (this.isOver) return
		this.isOver = true
		this.connection = null
		this.handler.onResponseError?.(this, error)
	}

	end(): void {
		if (this.isOver) return
		this.isOver = true
		this.connection = null
		this.handler.onResponseEnd?.(this, {})
	}
}

export interface ConnectionOwner {
	/** The time at the last tick, which is precise enough for time limits (ms of a monotonic clock). */
	nowMs: number
	/** The connection may take another exchange. */
	onIdle(connection: UpstreamConnection): void
	onClosed(connection: UpstreamConnection): void
	/** Sends an exchange again, over another connection. */
	again(connection: UpstreamConnection, exchange: UpstreamExchange): void
}

/** Idle timeout like undici's: what the server announces less two seconds, at most five minutes; ten seconds by default. */
const keptMs = 10_000
const maxKeptMs = 300_000
const marginMs = 2000
/** Servers keep unused connections for at least this long; widely used ones for 2 or 5 s. */
const restMs = 1000

/** A kept-alive connection to a server: one exchange at a time, and a strict parser for its responses. */
export class UpstreamConnection {
	/** The origin. */
	readonly key: string
	readonly #socket: Socket
	readonly #owner: ConnectionOwner
	readonly #heads = new ResponseHeads()
	#exchange: UpstreamExchange | null = null
	#head: ResponseHead | null = null
	/** Bytes of an incomplete head, or those received after the handler paused. */
	#waiting: Buffer | null = null
	#leftBytes = -1
	#chunked: ChunkedBody | null = null
	#lastBytesMs = 0
	#answeredBefore = false
	#hasAnswered = false
	#idleUntilMs = 0
	#closed = false

	constructor(key: string, socket: Socket, owner: ConnectionOwner) {
		this.key = key
		this.#socket = socket
		this.#owner = owner
		socket.setNoDelay(true)
		readSocket(socket, this.#onData)
		socket.on('error', (error) => this.#lose(error))
		socket.on('end', () => this.#onEnd())
		socket.on('close', () => this.#lose(new errors.SocketError('other side closed')))
	}

	get usable(): boolean {
		return (
			!this.#closed &&
			this.#socket.writable &&
			!this.#socket.readableEnded &&
			this.#owner.nowMs < this.#idleUntilMs
		)
	}

	/** Whether it has been unused for so long that the server may be closing it at this moment. */
	get hasRested(): boolean {
		return this.#owner.nowMs - this.#lastBytesMs > restMs
	}

	/** Sends a request. Its handler is notified first and may abort it then. */
	send(exchange: UpstreamExchange, nowMs: number): void {
		exchange.connection = this
		this.#exchange = exchange
		this.#head = null
		this.#hasAnswered = false
		this.#lastBytesMs = nowMs
		try {
			exchange.handler.onRequestStart?.(exchange, {})
		} catch (error) {
			exchange.abort(error as Error)
		}
		if (exchange.aborted) return
		const { head, body } = exchange
		const socket = this.#socket
		if (!body) return void socket.write(head, 'latin1')
		if (head.length + body.length <= maxJoinedBytes) {
			const joined = Buffer.allocUnsafe(head.length + body.length)
			body.copy(joined, joined.write(head, 0, 'latin1'))
			return void socket.write(joined)
		}
		socket.cork()
		socket.write(head, 'latin1')
		socket.write(body)
		socket.uncork()
	}

	readonly #onData = (piece: Buffer): void => {
		const exchange = this.#exchange
		// Unsolicited bytes: they could be taken for the response to the next request.
		if (!exchange) return void this.destroy()
		this.#hasAnswered = true
		this.#lastBytesMs = this.#owner.nowMs
		const bytes = this.#waiting ? Buffer.concat([this.#waiting, piece]) : piece
		this.#waiting = null
		this.#read(exchange, bytes)
	}

	#read(exchange: UpstreamExchange, bytes: Buffer): void {
		try {
			const from = this.#head ? 0 : this.#readHead(exchange, bytes)
			if (from < 0 || exchange.isOver) return
			this.#readBody(exchange, this.#head as ResponseHead, from === 0 ? bytes : bytes.subarray(from))
		} catch (error) {
			// An error of the handler aborts its own exchange.
			exchange.abort(error as Error)
		}
	}

	/** Index of the body; -1: the head is incomplete or malformed. */
	#readHead(exchange: UpstreamExchange, bytes: Buffer): number {
		for (let from = 0; ; ) {
			const end = bytes.indexOf(headEnd, from)
			if (end < 0 || end - from > headLimitBytes) {
				if (bytes.length - from > headLimitBytes) this.#refuse(exchange, new errors.HeadersOverflowError())
				else if (!mayBecomeHead(bytes, from)) this.#refuse(exchange, malformedHead())
				else this.#waiting = from === 0 ? bytes : bytes.subarray(from)
				return -1
			}
			const head = this.#heads.read(bytes, from, end)
			from = end + headEnd.length
			if (!head || head.status === 101) {
				this.#refuse(exchange, malformedHead())
				return -1
			}
			// 100 Continue or 103 Early Hints: the final response follows.
			if (head.status < 200) continue
			this.#head = head
			const isBodiless = head.status === 204 || head.status === 304
			this.#chunked = head.chunked && !isBodiless ? new ChunkedBody() : null
			this.#leftBytes = isBodiless ? 0 : head.contentLength
			exchange.rawHeaders = head.fields.raw
			exchange.handler.onResponseStart?.(exchange, head.status, head.fields.byName, head.statusText)
			return from
		}
	}

	#readBody(exchange: UpstreamExchange, head: ResponseHead, bytes: Buffer): void {
		if (exchange.paused) return void this.#hold(bytes)
		if (this.#chunked) return void this.#readChunks(exchange, this.#chunked, bytes)
		const left = this.#leftBytes
		const own = left < 0 || bytes.length <= left ? bytes : bytes.subarray(0, left)
		if (left > 0) this.#leftBytes -= own.length
		if (own.length > 0) exchange.handler.onResponseData?.(exchange, own)
		if (this.#leftBytes !== 0 || exchange.isOver) return
		// If the handler paused on the last bytes, the end is delivered after it resumes.
		if (exchange.paused) return void this.#hold(bytes.subarray(own.length))
		this.#complete(exchange, head, bytes.length - own.length)
	}

	#readChunks(exchange: UpstreamExchange, chunked: ChunkedBody, bytes: Buffer): void {
		chunked.at = 0
		for (;;) {
			const step = chunked.next(bytes)
			if (step === 'more') return
			if (step === 'malformed')
				return void this.#refuse(exchange, malformed('A chunk is malformed', 'INVALID_CHUNK'))
			if (step === 'end')
				return void this.#complete(exchange, this.#head as ResponseHead, bytes.length - chunked.at)
			exchange.handler.onResponseData?.(exchange, bytes.subarray(chunked.from, chunked.at))
			if (exchange.isOver) return
			if (exchange.paused) return void this.#hold(bytes.subarray(chunked.at))
		}
	}

	#hold(bytes: Buffer): void {
		this.#waiting = bytes
		this.#socket.pause()
	}

	pause(): void {
		this.#socket.pause()
	}

	resume(): void {
		const exchange = this.#exchange
		const waiting = this.#waiting
		if (!exchange) return
		this.#lastBytesMs = this.#owner.nowMs
		if (waiting && this.#head) {
			this.#waiting = null
			this.#read(exchange, waiting)
		}
		if (!exchange.paused) this.#socket.resume()
	}

	/** The response is complete. @param surplus number of unsolicited bytes behind it */
	#complete(exchange: UpstreamExchange, head: ResponseHead, surplus: number): void {
		this.#exchange = null
		this.#head = null
		this.#answeredBefore = true
		const hint = head.keepAliveMs === null ? keptMs : Math.min(head.keepAliveMs - marginMs, maxKeptMs)
		if (!head.keepAlive || surplus > 0 || hint <= 0 || this.#socket.writableLength > 0) this.destroy()
		else {
			this.#idleUntilMs = this.#owner.nowMs + hint
			if (this.#socket.isPaused()) this.#socket.resume()
			this.#owner.onIdle(this)
		}
		exchange.end()
	}

	/** The server closed the connection: the end of a body without a length, otherwise a truncated response. */
	#onEnd(): void {
		const exchange = this.#exchange
		const endsBody = this.#head !== null && this.#chunked === null && this.#leftBytes < 0
		if (exchange && endsBody && this.#waiting === null) {
			this.#exchange = null
			this.destroy()
			exchange.end()
		} else this.#lose(new errors.SocketError('other side closed'))
	}

	#refuse(exchange: UpstreamExchange, error: Error): void {
		this.#exchange = null
		this.destroy()
		exchange.fail(error)
	}

	#lose(error: Error): void {
		const exchange = this.#exchange
		this.#exchange = null
		this.destroy()
		if (!exchange) return
		if (exchange.isSafe && this.#answeredBefore && !this.#hasAnswered && !exchange.aborted)
			this.#owner.again(this, exchange)
		else exchange.fail(error)
	}

	/** Aborts an exchange that takes too long, and closes the connection after its idle time. */
	checkTimes(nowMs: number): void {
		const exchange = this.#exchange
		if (!exchange) {
			if (nowMs >= this.#idleUntilMs) this.destroy()
			return
		}
		const limitMs = this.#head ? exchange.bodyTimeoutMs : exchange.headersTimeoutMs
		if (limitMs === 0 || exchange.paused || nowMs - this.#lastBytesMs < limitMs) return
		this.#refuse(exchange, this.#head ? new errors.BodyTimeoutError() : new errors.HeadersTimeoutError())
	}

	destroy(): void {
		if (this.#closed) return
		this.#closed = true
		this.#socket.destroy()
		this.#owner.onClosed(this)
	}
}

function malformed(message: string, code: string): Error {
	return Object.assign(new errors.HTTPParserError(message), { code: `HPE_${code}` })
}

const malformedHead = () => malformed('The head of the answer is malformed', 'INVALID_HEAD')

const version = Buffer.from('HTTP/1.')
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Whether the bytes so far can be the beginning of a head: a server that speaks another protocol is not waited for. */
function mayBecomeHead(bytes: Buffer, from: number): boolean {
	const length = Math.min(version.length, bytes.length - from)
	if (bytes.compare(version, 0, length, from, from + length) !== 0) return false
	for (let at = bytes.indexOf(lineFeed, from); at >= 0; at = bytes.indexOf(lineFeed, at + 1))
		if (bytes[at - 1] !== carriageReturn) return false
	return true
}
