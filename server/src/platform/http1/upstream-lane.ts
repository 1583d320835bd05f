import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { DispatcherBase, errors } from '../undici.ts'
import { fieldLine, lowerCaseOf } from './read-message.ts'
import { type ConnectionOwner, UpstreamConnection, UpstreamExchange } from './upstream-connection.ts'

/** Interval at which time limits are checked while there are connections. */
const checkEveryMs = 100
/** The default of undici. */
const timeoutMs = 300_000
const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
/** Methods that announce a body length even if there is no body. */
const withBody = new Set(['POST', 'PUT', 'PATCH'])
const plainPath = /^\/[!-~]*$/
/** Headers of the connection or of the framing, or that change how a request is sent. */
const notForUs = new Set([
	'connection',
	'content-length',
	'expect',
	'host',
	'keep-alive',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
])
const known = new Set([
	...['origin', 'path', 'method', 'headers', 'body', 'idempotent', 'headersTimeout', 'bodyTimeout'],
])
const maxOrigins = 1000

/** An origin, and where its server is. */
type Target = buildConnector.Options & { key: string }

/**
 * Sends plain requests over our own kept-alive connections, with strict parsing. `next` (undici) takes everything else: streamed
 * bodies, upgrades, connection headers. Connections are made by the connector that checks addresses.
 */
export class UpstreamLane extends DispatcherBase implements ConnectionOwner {
	readonly #connect: buildConnector.connector
	readonly #next: Dispatcher
	readonly #targets = new Map<string, Target>()
	/** Last in, first out. */
	readonly #idle = new Map<string, UpstreamConnection[]>()
	readonly #open = new Set<UpstreamConnection>()
	#timer: NodeJS.Timeout | null = null
	#ended = false
	nowMs = performance.now()

	constructor(connect: buildConnector.connector, next: Dispatcher) {
		super()
		this.#connect = connect
		this.#next = next
	}

	get openConnections(): number {
		return this.#open.size
	}

	override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
		const origin = String(options.origin)
		const target = this.#targets.get(origin) ?? this.#newTarget(origin)
		const exchange = target && exchangeOf(options, target, handler)
		if (!exchange) return this.#next.dispatch(options, handler)
		if (this.#ended) {
			exchange.fail(new errors.ClientDestroyedError())
			return true
		}
		this.nowMs = performance.now()
		const idle = this.#idle.get(target.key)
		let connection = idle?.pop()
		for (; connection && !connection.usable; connection = idle?.pop()) connection.destroy()
		if (!connection) this.#sendOverNew(target, exchange)
		else if (exchange.isSafe || !connection.hasRested) connection.send(exchange, this.nowMs)
		else this.#sendIfOpen(connection, target, exchange)
		return true
	}

	/**
	 * Sends over a connection that the server may just have closed, which could be unread as yet. What may not be repeated waits until
	 * everything that has arrived is read: the first `setImmediate` may come before that, the second may not.
	 */
	#sendIfOpen(connection: UpstreamConnection, target: Target, exchange: UpstreamExchange): void {
		const send = () => {
			if (connection.usable) connection.send(exchange, this.nowMs)
			else this.#sendOverNew(target, exchange)
		}
		setImmediate(() => setImmediate(send))
	}

	/** Null if undici must send requests to this origin. */
	#newTarget(origin: string): Target | null {
		const url = URL.parse(origin)
		if (
			!url ||
			(url.protocol !== 'https:' && url.protocol !== 'http:') ||
			url.username ||
			url.pathname !== '/'
		)
			return null
		const { host, protocol, port } = url
		// Sockets expect an IPv6 address without brackets.
		const hostname = url.hostname.replace(/^\[|\]$/g, '')
		if (this.#targets.size >= maxOrigins) this.#targets.clear()
		const target = { host, hostname, protocol, port, key: `${protocol}//${host}` }
		this.#targets.set(origin, target)
		return target
	}

	#sendOverNew(target: Target, exchange: UpstreamExchange): void {
		this.#connect(target, (error, socket) => {
			if (!socket) return void exchange.fail(error ?? new errors.SocketError('There is no connection.'))
			if (this.#ended) {
				socket.destroy()
				return void exchange.fail(new errors.ClientDestroyedError())
			}
			const connection = new UpstreamConnection(target.key, socket as Socket, this)
			this.#open.add(connection)
			this.#timer ??= setInterval(() => this.#checkTimeouts(), checkEveryMs).unref()
			this.nowMs = performance.now()
			connection.send(exchange, this.nowMs)
		})
	}

	onIdle(connection: UpstreamConnection): void {
		const idle = this.#idle.get(connection.key)
		if (idle) idle.push(connection)
		else this.#idle.set(connection.key, [connection])
	}

	onClosed(connection: UpstreamConnection): void {
		this.#open.delete(connection)
		const idle = this.#idle.get(connection.key)
		const at = idle ? idle.indexOf(connection) : -1
		if (at >= 0) idle?.splice(at, 1)
		if (idle?.length === 0) this.#idle.delete(connection.key)
	}

	again({ key }: UpstreamConnection, exchange: UpstreamExchange): void {
		// The key is an origin; its target may have been forgotten meanwhile.
		this.#sendOverNew((this.#targets.get(key) ?? this.#newTarget(key)) as Target, exchange)
	}

	#checkTimeouts(): void {
		this.nowMs = performance.now()
		for (const connection of this.#open) connection.checkTimes(this.nowMs)
		if (this.#open.size > 0 || this.#timer === null) return
		clearInterval(this.#timer)
		this.#timer = null
	}

	override async close(): Promise<void> {
		await this.destroy()
	}

	override async destroy(): Promise<void> {
		this.#ended = true
		if (this.#timer !== null) clearInterval(this.#timer)
		this.#timer = null
		for (const connection of this.#open) connection.destroy()
		await this.#next.destroy()
	}
}

/** The request as a fast-lane exchange; null: undici must send it. */
function exchangeOf(
	options: Dispatcher.DispatchOptions,
	target: Target,
	handler: Dispatcher.DispatchHandler,
): UpstreamExchange | null {
	const { method, path } = options
	if (!methods.has(method) || !plainPath.test(path)) return null
	for (const name in options)
		if (!known.has(name) && options[name as keyof typeof options] !== undefined) return null
	const body = bodyOf(options.body)
	const lines = linesOf(options.headers)
	if (body === undefined || lines === null) return null
	const length = body ? body.length : withBody.has(method) ? 0 : -1
	const framing = length < 0 ? '' : `content-length: ${length}\r\n`
	const head = `${method} ${path} HTTP/1.1\r\nhost: ${target.host}\r\nconnection: keep-alive\r\n${lines}${framing}\r\n`
	return new UpstreamExchange(handler, {
		head,
		body,
		isSafe: options.idempotent ?? method === 'GET',
		headersTimeoutMs: options.headersTimeout ?? timeoutMs,
		bodyTimeoutMs: options.bodyTimeout ?? timeoutMs,
	})
}

/** Undefined for a body that is not complete in memory. */
function bodyOf(body: unknown): Buffer | null | undefined {
	if (body === null || body === undefined || body === '') return null
	if (typeof body === 'string') return Buffer.from(body)
	if (!(body instanceof Uint8Array)) return undefined
	if (body.length === 0) return null
	return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

/** For frozen header lists only: a caller that sends the same headers again freezes and reuses the list. */
const knownLines = new WeakMap<object, string | null>()

/** The header lines; null if undici must handle one of them. */
function linesOf(headers: Dispatcher.DispatchOptions['headers']): string | null {
	if (headers === null || headers === undefined) return ''
	const isKept = Array.isArray(headers) && Object.isFrozen(headers)
	const known = isKept ? knownLines.get(headers) : undefined
	if (known !== undefined) return known
	let list: unknown[] = []
	if (Array.isArray(headers)) list = headers
	else if (Symbol.iterator in headers) return null
	else for (const name in headers) if (headers[name] !== undefined) list.push(name, headers[name])
	let lines: string | null = list.length % 2 === 0 ? '' : null
	for (let at = 0; at < list.length && lines !== null; at += 2) {
		const [name, value] = [list[at], list[at + 1]]
		const isOurs = typeof name === 'string' && typeof value === 'string' && !notForUs.has(lowerCaseOf(name))
		const line = isOurs ? fieldLine(name, value) : null
		lines = line === null ? null : lines + line
	}
	if (isKept) knownLines.set(headers, lines)
	return lines
}
