import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { http } from '../node-http.ts'
import type { LaneRequest } from './lane-request.ts'
import { fieldLine, lowerCaseOf } from './read-message.ts'

type HeaderValue = string | number | readonly string[]
type Written = (error?: Error | null) => void

interface Field {
	name: string
	value: HeaderValue
}

/** Up to this size head and body are copied into one buffer, which is cheaper than two writes. */
const maxJoinedBytes = 16 * 1024
/** Characters that `node:http` refuses, since they could end a header line early. */
const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/
const chunkEnd = Buffer.from('\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/** The response to a request on the fast lane: the part of `http.ServerResponse` that the data plane uses. */
export class LaneResponse extends EventEmitter {
	readonly req: LaneRequest
	readonly socket: Socket
	statusCode = 200
	statusMessage = ''
	sendDate = true
	headersSent = false
	writableEnded = false
	writableFinished = false
	destroyed = false
	/** Whether the connection closes after this response. */
	closes = false
	readonly #keepAliveS: number
	readonly #onDone: () => void
	/** The fields set before the head is sent, by lower-case name. */
	readonly #fields = new Map<string, Field>()
	/** The head, held back until the first bytes of the body; null: none, or already sent. */
	#head: string | null = null
	#chunked = false
	#bodiless = false
	/** The announced length of the body; -1 if none. */
	#announcedBytes = -1
	#passedBytes = 0

	constructor(request: LaneRequest, keepAliveS: number, onDone: () => void) {
		super()
		this.req = request
		this.socket = request.socket
		this.#keepAliveS = keepAliveS
		this.#onDone = onDone
	}

	setHeader(name: string, value: HeaderValue): this {
		if (this.headersSent) throw new Error('The head of this answer was sent already.')
		this.#fields.set(lowerCaseOf(name), { name, value })
		return this
	}

	getHeader(name: string): HeaderValue | undefined {
		return this.#fields.get(name.toLowerCase())?.value
	}

	hasHeader(name: string): boolean {
		return this.#fields.has(name.toLowerCase())
	}

	getHeaderNames(): string[] {
		return [...this.#fields.keys()]
	}

	removeHeader(name: string): void {
		this.#fields.delete(name.toLowerCase())
	}

	writeHead(status: number, ...rest: unknown[]): this {
		if (this.headersSent) throw new Error('The head of this answer was sent already.')
		this.statusCode = status
		if (typeof rest[0] === 'string') this.statusMessage = rest.shift() as string
		const lines = this.#collect(rest[0] as readonly HeaderValue[] | Record<string, HeaderValue> | undefined)
		this.#makeHead(lines, -1)
		return this
	}

	/** The header lines set before and those given now; a given one replaces one set under the same name. */
	#collect(given: readonly HeaderValue[] | Record<string, HeaderValue> | undefined): string {
		let own = ''
		if (Array.isArray(given))
			for (let at = 0; at < given.length; at += 2) own += this.#line(given[at], given[at + 1], true)
		else for (const name in given) own += this.#line(name, (given as Record<string, HeaderValue>)[name], true)
		let lines = ''
		for (const { name, value } of this.#fields.values()) lines += this.#line(name, value, false)
		return lines + own
	}

	/** The lines of a field. A replacing one takes the place of what was set under its name. */
	#line(name: string, value: HeaderValue | undefined, replaces: boolean): string {
		if (value === undefined) return ''
		if (replaces) this.#fields.delete(lowerCaseOf(name))
		if (typeof value === 'object') {
			let lines = ''
			for (const one of value) lines += this.#line(name, one, false)
			return lines
		}
		const text = String(value)
		const line = fieldLine(name, text)
		if (line === null) throw invalidField(name)
		// What a field says about the framing; its length distinguishes most names.
		if (name.length === 14 && name.toLowerCase() === 'content-length') this.#announcedBytes = Number(text)
		else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') this.#chunked = true
		else if (name.length === 10 && name.toLowerCase() === 'connection')
			this.closes = this.closes || /\bclose\b/i.test(text)
		else if (name.length === 4 && name.toLowerCase() === 'date') this.sendDate = false
		return line
	}

	/** @param bodyBytes length of a body that is complete; otherwise -1 */
	#makeHead(lines: string, bodyBytes: number): void {
		this.headersSent = true
		const status = this.statusCode
		this.#bodiless = status === 204 || status === 304
		const reason = this.statusMessage || http.STATUS_CODES[status] || 'unknown'
		if (forbiddenInValue.test(reason)) throw invalidField('status')
		let framing = ''
		if (this.#bodiless) this.#chunked = false
		else if (this.#announcedBytes < 0 && !this.#chunked) {
			if (bodyBytes >= 0) {
				this.#announcedBytes = bodyBytes
				framing = `Content-Length: ${bodyBytes}\r\n`
			} else {
				this.#chunked = true
				framing = 'Transfer-Encoding: chunked\r\n'
			}
		}
		const date = this.sendDate ? `Date: ${httpDate()}\r\n` : ''
		const kept = this.closes
			? /^connection:/im.test(lines)
				? ''
				: 'Connection: close\r\n'
			: `Connection: keep-alive\r\nKeep-Alive: timeout=${this.#keepAliveS}\r\n`
		this.#head = `HTTP/1.1 ${status} ${reason}\r\n${lines}${date}${kept}${framing}\r\n`
	}

	flushHeaders(): void {
		if (!this.headersSent) this.#makeHead(this.#collect(undefined), -1)
		this.#send(null, false)
	}

	write(data: string | Uint8Array, encoding?: BufferEncoding | Written, written?: Written): boolean {
		if (this.writableEnded || this.destroyed) return false
		if (!this.headersSent) this.#makeHead(this.#collect(undefined), -1)
		const callback = typeof encoding === 'function' ? encoding : written
		const bytes = toBytes(data, encoding)
		return this.#send(bytes.length === 0 ? null : bytes, false, callback)
	}

	end(
		data?: string | Uint8Array | Written | null,
		encoding?: BufferEncoding | Written,
		ended?: Written,
	): this {
		if (this.writableEnded) return this
		const callback = typeof data === 'function' ? data : typeof encoding === 'function' ? encoding : ended
		const bytes = data && typeof data !== 'function' ? toBytes(data, encoding) : null
		if (!this.headersSent) this.#makeHead(this.#collect(undefined), bytes?.length ?? 0)
		this.writableEnded = true
		if (callback) this.once('finish', callback)
		if (!this.destroyed) this.#send(bytes, true)
		return this
	}

	/** Writes a held-back head, then a piece of the body, then its end. */
	#send(bytes: Buffer | null, last: boolean, callback?: Written): boolean {
		if (this.destroyed) return false
		const head = this.#head
		this.#head = null
		const body = this.#bodiless ? null : bytes
		this.#passedBytes += body?.length ?? 0
		// A body of another length than announced would be read as part of the next response.
		const isTooShort = last && this.#passedBytes < this.#announcedBytes
		if (!this.#chunked && !this.#bodiless && (isTooShort || this.#passedBytes > this.#announcedBytes)) {
			this.destroy()
			return false
		}
		const prefix = this.#chunked && body ? `${head ?? ''}${body.length.toString(16)}\r\n` : (head ?? '')
		const suffix = this.#chunked ? (last ? (body ? lastOfChunked : lastChunk) : body ? chunkEnd : null) : null
		const room = this.#write(prefix, body, suffix, last ? undefined : callback)
		if (!last) return room
		const { socket } = this
		// Emits `finish` when everything has been sent. Usually the kernel already has all bytes, and no socket callback is needed.
		if (socket.writableLength > 0) socket.write('', (error) => error || this.#finish())
		else if (!socket.errored && !socket.destroyed) void written.then(this.#finish)
		return room
	}

	#write(prefix: string, body: Buffer | null, suffix: Buffer | null, done: Written | undefined): boolean {
		const { socket } = this
		const size = prefix.length + (body?.length ?? 0) + (suffix?.length ?? 0)
		if (size === 0) {
			if (done) socket.write('', done)
			return !socket.writableNeedDrain
		}
		if (size <= maxJoinedBytes) {
			const joined = Buffer.allocUnsafe(size)
			let at = prefix === '' ? 0 : joined.write(prefix, 0, 'latin1')
			if (body) at += body.copy(joined, at)
			suffix?.copy(joined, at)
			return socket.write(joined, done)
		}
		socket.cork()
		if (prefix !== '') socket.write(prefix, 'latin1')
		let room = body ? socket.write(body, suffix ? undefined : done) : true
		if (suffix) room = socket.write(suffix, done)
		socket.uncork()
		return room
	}

	readonly #finish = (): void => {
		if (this.destroyed) return
		this.writableFinished = true
		this.destroyed = true
		this.emit('finish')
		this.emit('close')
		this.#onDone()
	}

	/** The connection has closed, or this response is abandoned with it. */
	cutOff(): void {
		if (this.destroyed) return
		this.destroyed = true
		this.emit('close')
	}

	destroy(): this {
		this.socket.destroy()
		this.cutOff()
		return this
	}

	get writableNeedDrain(): boolean {
		return !this.destroyed && this.socket.writableNeedDrain
	}

	get writableLength(): number {
		return this.socket.writableLength
	}

	get writable(): boolean {
		return !this.destroyed && !this.writableEnded
	}
}

const written = Promise.resolve()
const lastOfChunked = Buffer.concat([chunkEnd, lastChunk])

function toBytes(data: string | Uint8Array, encoding: unknown): Buffer {
	if (typeof data === 'string')
		return Buffer.from(data, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
	return Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

function invalidField(name: string): Error {
	return Object.assign(new TypeError(`Invalid character in header content ["${name}"]`), {
		code: 'ERR_INVALID_CHAR',
	})
}

let dateS = 0
let dateText = ''

/** The Date header, refreshed once a second. */
function httpDate(): string {
	const nowS = Math.floor(Date.now() / 1000)
	if (nowS !== dateS) {
		dateS = nowS
		dateText = new Date(nowS * 1000).toUTCString()
	}
	return dateText
}
