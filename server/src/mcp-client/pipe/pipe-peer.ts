import type { PipeExchange } from './pipe-exchange.ts'
import { linesIn, objectIn, type PlainCall, parseRpc, type RpcObject } from './rpc-text.ts'

interface Pending {
	exchange: PipeExchange
	session: string
	id: unknown
	progressToken: unknown
}

// biome-ignore lint/suspicious/noConfusingVoidType: pipes keep the order, so nothing is waited for.
export type Sent = void | Promise<Error | null>

/** What the peer speaks over. */
export interface PipeEnds {
	/** `wireId` for a request, which can be failed by it. Where arriving takes time, resolves with what prevented it, or null. */
	send(line: string, wireId?: number): Sent
	/** A line that is no message. */
	garbage(line: string): void
	/** Streams that notifications without a request go to, of one session or of all. */
	streams(session: string | null): Iterable<PipeExchange>
	/** Whether it speaks for one session only, which may be asked back. */
	isShared: boolean
}

/** How many programs begin an answer; then the rest of it stands as it is, and whoever asked reads it. */
const plainResult = /^\{"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}),"result":\{/
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId'

/**
 * Many exchanges over one pair of pipes. Every request gets an id of ours on the pipe, so that nobody gets the answer
 * of another; what cannot be assigned, on a shared program goes to no one.
 */
export class PipePeer {
	readonly #ends: PipeEnds
	readonly #pending = new Map<number, Pending>()
	readonly #subscribed = new Map<string, Set<string>>()
	#lastId = 0

	constructor(ends: PipeEnds) {
		this.#ends = ends
	}

	/** How many requests wait for their answer. */
	get waiting(): number {
		return this.#pending.size
	}

	/** Sends a request on; the number it has on the pipe, for `cancel`. */
	request(message: RpcObject, session: string, exchange: PipeExchange): number {
		const wireId = ++this.#lastId
		const params = objectIn(message.params)
		const meta = objectIn(params._meta)
		this.#pending.set(wireId, { exchange, session, id: message.id, progressToken: meta.progressToken })
		this.#noteSubscription(String(message.method), params.uri, session)
		const hasToken = meta.progressToken !== undefined
		const sent = hasToken
			? { ...message, params: { ...params, _meta: { ...meta, progressToken: wireId } } }
			: message
		void this.#ends.send(JSON.stringify({ ...sent, id: wireId }), wireId)
		return wireId
	}

	/** The same for a call that goes on as it is. */
	call({ id, rest }: PlainCall, session: string, exchange: PipeExchange): number {
		const wireId = ++this.#lastId
		this.#pending.set(wireId, { exchange, session, id, progressToken: undefined })
		void this.#ends.send(`{"jsonrpc":"2.0","id":${wireId}${rest}`, wireId)
		return wireId
	}

	/** Tells the program that nobody waits any more. */
	cancel(wireId: number, reason = 'The client went away.'): void {
		if (!this.#pending.delete(wireId)) return
		this.#send({ method: 'notifications/cancelled', params: { requestId: wireId, reason } })
	}

	/** A notification of a client; of a cancellation the request is looked up among its own. */
	notify(message: RpcObject, session: string): Sent {
		if (message.method !== 'notifications/cancelled') return this.#ends.send(JSON.stringify(message))
		const { requestId, reason } = objectIn(message.params)
		for (const [wireId, one] of this.#pending)
			if (one.session === session && one.id === requestId)
				return void this.cancel(wireId, String(reason ?? ''))
	}

	/** A client's answer to what the program asked. */
	answer(message: RpcObject): Sent {
		if (!this.#ends.isShared) return this.#ends.send(JSON.stringify(message))
	}

	/** One line of the program. */
	receive(line: string): void {
		const [begin = '', id] = plainResult.exec(line) ?? []
		if (begin !== '' && line.endsWith('}') && !line.includes(subscriptionKey))
			this.#endWith(Number(id), line.slice(begin.length))
		else for (const text of linesIn(line)) this.#receive(text)
	}

	/** `rest`: of the answer, from behind the brace that opens its result. */
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

	/** One request that did not reach the other end. */
	failOne(wireId: number, error: Error): void {
		const pending = this.#pending.get(wireId)
		this.#pending.delete(wireId)
		pending?.exchange.fail(error)
	}

	/** The program is gone: every exchange ends with the reason. */
	fail(error: Error): void {
		const pending = [...this.#pending.values()]
		this.#pending.clear()
		for (const { exchange } of pending) exchange.fail(error)
	}

	forget(session: string): void {
		this.#subscribed.delete(session)
	}

	#receiveAnswer(message: RpcObject): void {
		const pending = this.#pending.get(Number(message.id))
		if (!pending || typeof message.id !== 'number') return
		const answer = JSON.stringify({ ...this.#withOwnSubscription(message), id: pending.id })
		this.#pending.delete(message.id)
		pending.exchange.answer(answer)
	}

	/** Only a session with a program of its own can be asked: elsewhere it is not known whose request this is about. */
	#receiveRequest(message: RpcObject, line: string): void {
		if (message.method === 'ping') return void this.#send({ id: message.id, result: {} })
		const [asked] = [...this.#pending.values()]
			.map(({ exchange }) => exchange)
			.concat([...this.#ends.streams(null)])
		if (!this.#ends.isShared && asked) return void asked.tell(line)
		const text = 'This program is shared by clients, none of which can be asked.'
		this.#send({ id: message.id, error: { code: -32601, message: text } })
	}

	#receiveNotification(message: RpcObject, line: string): void {
		const params = objectIn(message.params)
		if (message.method === 'notifications/progress') return void this.#receiveProgress(message, params)
		const listening = objectIn(params._meta)[subscriptionKey]
		if (listening !== undefined) {
			const pending = this.#pending.get(Number(listening))
			pending?.exchange.tell(JSON.stringify(this.#withOwnSubscription(message)))
			return
		}
		if (message.method === 'notifications/message') return void this.#receiveLog(line)
		for (const stream of this.#streamsFor(message.method, params.uri)) stream.tell(line)
	}

	#receiveProgress(message: RpcObject, params: RpcObject): void {
		const pending = this.#pending.get(Number(params.progressToken))
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
			if (uris.has(String(uri))) yield* this.#ends.streams(session)
	}

	#noteSubscription(method: string, uri: unknown, session: string): void {
		if (method === 'resources/unsubscribe') this.#subscribed.get(session)?.delete(String(uri))
		if (method !== 'resources/subscribe') return
		const uris = this.#subscribed.get(session) ?? new Set()
		this.#subscribed.set(session, uris.add(String(uri)))
	}

	/** A listening client knows its subscription by its own id. */
	#withOwnSubscription(message: RpcObject): RpcObject {
		for (const part of ['params', 'result']) {
			const content = objectIn(message[part])
			const meta = objectIn(content._meta)
			const pending = this.#pending.get(Number(meta[subscriptionKey]))
			if (pending)
				return { ...message, [part]: { ...content, _meta: { ...meta, [subscriptionKey]: pending.id } } }
		}
		return message
	}

	#send(message: object): void {
		void this.#ends.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
	}
}
