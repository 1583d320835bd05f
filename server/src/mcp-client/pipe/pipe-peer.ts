import type { PipeExchange } from './pipe-exchange.ts'
import { linesIn, numberIn, objectIn, type PlainCall, parseRpc, type RpcObject } from './rpc-text.ts'

interface Pending {
	exchange: PipeExchange
	session: string
	id: unknown
	progressToken: unknown
	isListening?: boolean
}

// biome-ignore lint/suspicious/noConfusingVoidType: pipes keep the order, so nothing is awaited.
export type SendResult = void | Promise<Error | null>

/** The ends of the pipes that the peer uses. */
export interface PipeEnds {
	/**
	 * `wireId` is given for a request, so that it can be failed. If delivery takes time, resolves with the error that prevented
	 * it, or null.
	 */
	send(line: string, wireId?: number): SendResult
	/** Called for a line that is not a message. */
	garbage(line: string): void
	/** The streams for notifications that belong to no request: of one session, or of all. */
	streams(session: string | null): Iterable<PipeExchange>
	/** Whether many sessions share the program. Only an unshared one may ask its client. */
	isShared: boolean
}

/** The usual beginning of an answer. The rest is then forwarded unparsed, and the caller parses it. */
const plainResult = /^\{"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}),"result":\{/
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId'

/**
 * Many exchanges over one pair of pipes. Each request gets a new id on the pipe, so that no caller gets another's answer. On a
 * shared program, messages that cannot be assigned are dropped.
 */
export class PipePeer {
	readonly #ends: PipeEnds
	readonly #pending = new Map<number, Pending>()
	readonly #subscribed = new Map<string, Set<string>>()
	#lastId = 0

	constructor(ends: PipeEnds) {
		this.#ends = ends
	}

	/** The number of requests without an answer yet. */
	get waiting(): number {
		return this.#pending.size
	}

	/** Sends a request. Returns its id on the pipe, for `cancel`. */
	request(message: RpcObject, session: string, exchange: PipeExchange): number {
		const wireId = ++this.#lastId
		const params = objectIn(message.params)
		const meta = objectIn(params._meta)
		const isListening = message.method === 'subscriptions/listen'
		const { progressToken } = meta
		this.#pending.set(wireId, { exchange, session, id: message.id, progressToken, isListening })
		this.#noteSubscription(String(message.method), params.uri, session)
		const hasToken = progressToken !== undefined
		const sent = hasToken
			? { ...message, params: { ...params, _meta: { ...meta, progressToken: wireId } } }
			: message
		void this.#ends.send(JSON.stringify({ ...sent, id: wireId }), wireId)
		return wireId
	}

	/** The same for a call that is forwarded as text. */
	call({ id, rest }: PlainCall, session: string, exchange: PipeExchange): number {
		const wireId = ++this.#lastId
		this.#pending.set(wireId, { exchange, session, id, progressToken: undefined })
		void this.#ends.send(`{"jsonrpc":"2.0","id":${wireId}${rest}`, wireId)
		return wireId
	}

	/** Tells the program that nobody waits for the answer any more. */
	cancel(wireId: number, reason = 'The client went away.'): void {
		if (!this.#pending.delete(wireId)) return
		this.#send({ method: 'notifications/cancelled', params: { requestId: wireId, reason } })
	}

	/** Sends a client's notification. For a cancellation, the request is looked up among the client's own. */
	notify(message: RpcObject, session: string): SendResult {
		if (message.method !== 'notifications/cancelled') return this.#ends.send(JSON.stringify(message))
		const { requestId, reason } = objectIn(message.params)
		for (const [wireId, one] of this.#pending)
			if (one.session === session && one.id === requestId)
				return void this.cancel(wireId, String(reason ?? ''))
	}

	/** Sends a client's answer to a request of the program. */
	answer(message: RpcObject): SendResult {
		if (!this.#ends.isShared) return this.#ends.send(JSON.stringify(message))
	}

	/** Handles one line from the program. */
	receive(line: string): void {
		const [begin = '', id] = plainResult.exec(line) ?? []
		if (begin !== '' && line.endsWith('}') && !line.includes(subscriptionKey))
			this.#endWith(Number(id), line.slice(begin.length))
		else for (const text of linesIn(line)) this.#receive(text)
	}

	/** `rest` is the answer after the brace that opens its result. */
	#endWith(wireId: number, rest: string): void {
		const pending = this.#pending.get(wireId)
		if (!pending) return
		this.#pending.delete(wireId)
		pending.exchange.answer(`{"jsonrpc":"2.0","id":${JSON.stringify(pending.id)},"result":{${rest}`)
	}

	#receive(line: string): void {
		const message = parseRpc(line)
		if (message?.jsonrpc !== '2.0') return void this.#ends.garbage(line)
		if (typeof message.method !== 'string') return void this.#receiveAnswer(message)
		if (message.id !== undefined) return void this.#receiveRequest(message, line)
		this.#receiveNotification(message, line)
	}

	/** Fails one request that did not reach the program. */
	failOne(wireId: number, error: Error): void {
		const pending = this.#pending.get(wireId)
		this.#pending.delete(wireId)
		pending?.exchange.fail(error)
	}

	/** Fails all exchanges, because the program has ended. */
	fail(error: Error): void {
		const pending = [...this.#pending.values()]
		this.#pending.clear()
		for (const { exchange } of pending) exchange.fail(error)
	}

	forget(session: string): void {
		this.#subscribed.delete(session)
	}

	#receiveAnswer(message: RpcObject): void {
		const wireId = typeof message.id === 'string' ? Number.NaN : numberIn(message.id)
		const pending = this.#pending.get(wireId)
		if (!pending) return
		const answer = JSON.stringify({ ...this.#withOwnSubscription(message), id: pending.id })
		this.#pending.delete(wireId)
		pending.exchange.answer(answer)
	}

	/**
	 * Only the client of an unshared program can be asked: otherwise it is unknown whose request this concerns. If several run, any of them
	 * may have been cancelled in a worker process at this moment, so that nobody reads its exchange any more; the stream stays.
	 */
	#receiveRequest(message: RpcObject, line: string): void {
		if (message.method === 'ping') return void this.#send({ id: message.id, result: {} })
		const running = [...this.#pending.values()].map(({ exchange }) => exchange)
		const streams = [...this.#ends.streams(null)]
		const [asked] = running.length === 1 ? running : [...streams, ...running]
		if (!this.#ends.isShared && asked) return void asked.tell(line)
		const text = `The client behind this gateway cannot be asked for ${String(message.method).slice(0, 64)}.`
		this.#send({ id: message.id, error: { code: -32601, message: text } })
	}

	#receiveNotification(message: RpcObject, line: string): void {
		const params = objectIn(message.params)
		if (message.method === 'notifications/progress') return void this.#receiveProgress(message, params)
		const listening = objectIn(params._meta)[subscriptionKey]
		if (listening !== undefined) {
			const pending = this.#pending.get(numberIn(listening))
			pending?.exchange.tell(JSON.stringify(this.#withOwnSubscription(message)))
			return
		}
		if (message.method === 'notifications/message') return void this.#receiveLog(line)
		for (const stream of this.#streamsFor(message.method, params.uri)) stream.tell(line)
		for (const { exchange, id, isListening } of this.#pending.values()) {
			if (!isListening) continue
			// Some programs do not say to which subscription an announcement belongs (mcp-go 1.2).
			const _meta = { ...objectIn(params._meta), [subscriptionKey]: id }
			exchange.tell(JSON.stringify({ ...message, params: { ...params, _meta } }))
		}
	}

	#receiveProgress(message: RpcObject, params: RpcObject): void {
		const pending = this.#pending.get(numberIn(params.progressToken))
		if (pending?.progressToken === undefined) return
		pending.exchange.tell(
			JSON.stringify({ ...message, params: { ...params, progressToken: pending.progressToken } }),
		)
	}

	#receiveLog(line: string): void {
		if (this.#ends.isShared) return
		const [first] = this.#pending.values()
		if (first) return void first.exchange.tell(line)
		for (const stream of this.#ends.streams(null)) stream.tell(line)
	}

	*#streamsFor(method: unknown, uri: unknown): Iterable<PipeExchange> {
		if (method !== 'notifications/resources/updated') return yield* this.#ends.streams(null)
		for (const [session, uris] of this.#subscribed)
			if (typeof uri === 'string' && uris.has(uri)) yield* this.#ends.streams(session)
	}

	#noteSubscription(method: string, uri: unknown, session: string): void {
		if (method === 'resources/unsubscribe') this.#subscribed.get(session)?.delete(String(uri))
		if (method !== 'resources/subscribe') return
		const uris = this.#subscribed.get(session) ?? new Set()
		this.#subscribed.set(session, uris.add(String(uri)))
	}

	/** Replaces the subscription id by the listening client's own. */
	#withOwnSubscription(message: RpcObject): RpcObject {
		for (const part of ['params', 'result']) {
			const content = objectIn(message[part])
			const meta = objectIn(content._meta)
			const pending = this.#pending.get(numberIn(meta[subscriptionKey]))
			if (pending)
				return { ...message, [part]: { ...content, _meta: { ...meta, [subscriptionKey]: pending.id } } }
		}
		return message
	}

	#send(message: object): void {
		void this.#ends.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
	}
}
