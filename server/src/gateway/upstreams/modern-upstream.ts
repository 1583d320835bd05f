import {
	Exchange,
	type ExchangeEnd,
	type ExchangeRequest,
	envelope,
	isObject,
	isSamePlace,
	type JsonObject,
	modernHeaders,
	modernListen,
	modernVersions,
	noAnswer,
	parseJsonText,
	RpcFailure,
	type RpcResponse,
	readMessage,
	rpcCodes,
	sendRequest,
	targetOf,
	toUpstreamFailure,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import { doubledMs } from '../../platform/retry.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { forwardedCapabilities } from '../input-requests.ts'
import { type ClientProgram, takeStartedExchange } from '../operation.ts'
import { paramHeaders } from '../protocol/param-headers.ts'
import { withTasks } from '../tasks/task.ts'
import {
	isListChange,
	type Listening,
	type OnNotification,
	type ResolveServer,
	relayedHeaders,
	relayedMeta,
	relayNotification,
	type Upstream,
	type UpstreamCall,
	type UpstreamContext,
} from './upstream.ts'

const [version] = modernVersions

/** Servers of 2026-07-28 and later: each request is independent. */
export function createModernUpstream(context: UpstreamContext, nextId: () => number): Upstream {
	const subscriptions = new Map<string, UpstreamSubscription>()
	const subscriptionOf = (server: ServerEntry, reach: ResolveServer) => {
		const key = `${server.id} ${server.credentialOwner ?? ''}`
		const known = subscriptions.get(key)
		if (known && isSamePlace(known.server, server)) return known
		known?.close()
		const subscription = new UpstreamSubscription(context, server, reach, nextId)
		subscriptions.set(key, subscription)
		return subscription
	}
	return {
		request: (call) => request(context, call, nextId),
		listen: (server, _client, listener, reach) => subscriptionOf(server, reach).listen(listener),
		prune: (isKnown) => {
			for (const [key, subscription] of subscriptions) {
				if (isKnown(subscription.server) && !subscription.isIdle) continue
				subscription.close()
				subscriptions.delete(key)
			}
		},
		close: async () => {
			for (const subscription of subscriptions.values()) subscription.close()
		},
	}
}

async function request(
	context: UpstreamContext,
	call: UpstreamCall,
	nextId: () => number,
): Promise<RpcResponse> {
	const { operation, server, params } = call
	const { method } = operation.request
	const begun = takeStartedExchange(operation)
	const id = begun?.id ?? nextId()
	const meta = relayedMeta(params, id, operation.trace)
	const { response } = await sendRequest(context, {
		server,
		id,
		method,
		params: { ...params, _meta: modernMeta(operation, meta, operation.task !== undefined) },
		headers: {
			...modernHeaders(method, params),
			...(call.tool && paramHeaders(call.tool, params.arguments)),
			...relayedHeaders(operation.trace),
		},
		idleMs: context.limits.idleMs,
		cancellation: operation.cancellation,
		sending: operation.sending,
		begun,
		onNotification: (notification) => {
			const message = relayNotification(operation, notification, id)
			if (message !== null) return operation.reply.notify(message)
			// FastMCP has no subscriptions in this era, and announces what a call changed on the stream of that call.
			if (isListChange(notification.method))
				context.onOwnNotification(server.id, operation.client.sessionId, notification)
			return true
		},
		drain: (resume) => operation.reply.onDrain(resume),
	})
	return response
}

/**
 * The `_meta` for a modern server: the client's name and, for a modern client, its capabilities. For a legacy client, what the
 * gateway can ask it for.
 */
export function modernMeta(
	{ client }: { client: ClientProgram },
	relayed: JsonObject,
	knowsTasks: boolean,
): JsonObject {
	const isModern = client.era === 'modern'
	const own = isModern ? client.capabilities : forwardedCapabilities(client.capabilities)
	return {
		...relayed,
		[envelope.protocolVersion]: version,
		...(typeof client.info.name === 'string' && { [envelope.clientInfo]: client.info }),
		[envelope.clientCapabilities]: knowsTasks && !isModern ? withTasks(own) : own,
		...(client.logLevel !== null && { [envelope.logLevel]: client.logLevel }),
	}
}

const listNotifications = ['tools', 'prompts', 'resources'].map(
	(kind) => `notifications/${kind}/list_changed`,
)
const backOff = { firstMs: 1000, maxMs: 60_000 }
const maxAttempts = 4

/** The server answered, and does not take the subscription. */
class NotTaken extends Error {}

/** The subscription to one modern server: one `subscriptions/listen` for all listeners, reopened when its scope grows. */
export class UpstreamSubscription {
	server: ServerEntry
	readonly #reach: ResolveServer
	readonly #context: UpstreamContext
	readonly #nextId: () => number
	readonly #listeners = new Set<OnNotification>()
	readonly #uris = new Map<string, number>()
	/** The URIs that the server refuses to take again, although clients are subscribed to them. */
	readonly #refused = new Set<string>()
	#taken = new Set<string>()
	/** How many streams were opened, the number of the newest that was acknowledged, and that stream until it ends. */
	#opened = 0
	#acknowledged = 0
	#current: Exchange | null = null
	/** The streams that have not ended, oldest first. One that is opened replaces those before it only when it is acknowledged. */
	#streams: Exchange[] = []
	#timer: NodeJS.Timeout | null = null
	#failures = 0
	/** Whether a stream has ended and no acknowledged one was left, so that changes may have been missed. */
	#hasGap = false

	/** `reach` gives the address and token for each of its streams. */
	constructor(context: UpstreamContext, server: ServerEntry, reach: ResolveServer, nextId: () => number) {
		this.#context = context
		this.#reach = reach
		this.#nextId = nextId
		this.server = server
	}

	get isIdle(): boolean {
		return this.#listeners.size === 0
	}

	listen(listener: OnNotification): Listening {
		this.#listeners.add(listener)
		if (this.#streams.length === 0 && !this.#timer) this.#reopen().catch(() => {})
		const own = new Set<string>()
		return {
			subscribe: async (uri) => {
				if (!own.has(uri)) await this.#subscribe(uri)
				own.add(uri)
			},
			unsubscribe: async (uri) => {
				if (own.delete(uri)) this.#unsubscribe(uri)
			},
			close: () => {
				this.#listeners.delete(listener)
				for (const uri of own) this.#unsubscribe(uri)
				if (this.#listeners.size === 0) this.close()
			},
		}
	}

	close(): void {
		this.#stopTimer()
		this.#current = null
		for (const stream of this.#streams.splice(0)) stream.abort(new Error('Nobody listens any more.'))
	}

	async #subscribe(uri: string): Promise<void> {
		const users = this.#uris.get(uri) ?? 0
		this.#uris.set(uri, users + 1)
		const failure = users === 0 || !this.#taken.has(uri) ? await this.#extendTo(uri) : null
		if (this.#taken.has(uri)) return
		this.#unsubscribe(uri)
		if (this.#uris.has(uri)) this.#refused.add(uri)
		if (failure && !(failure instanceof NotTaken)) throw toUpstreamFailure(this.server, failure)
		const text = `The MCP server ${this.server.name} takes no subscription to it.`
		throw new RpcFailure(rpcCodes.invalidParams, text, { data: { uri } })
	}

	/**
	 * Opens a stream with this URI, and resolves with the reason if that fails. A server may refuse a stream because of a URI that
	 * another client asks for at the same time, so it is tried again without that one, or because of one that it took before.
	 */
	async #extendTo(uri: string): Promise<unknown> {
		for (let attempt = 1; ; attempt += 1) {
			this.#refused.delete(uri)
			const others = [...this.#uris.keys()].filter((other) => other !== uri && !this.#refused.has(other))
			const isAlone = others.every((other) => this.#taken.has(other))
			const failure = await this.#tryToOpen()
			if (this.#taken.has(uri) || !(failure instanceof NotTaken)) return failure
			if (!isAlone && attempt < maxAttempts) continue
			if (others.length === 0) return failure
			this.#refused.add(uri)
			return (await this.#tryToOpen()) instanceof NotTaken ? this.#regain() : failure
		}
	}

	/** Opens a stream with everything that the server still takes: what it refuses must not end the subscriptions to all else. */
	async #regain(): Promise<unknown> {
		this.#refused.clear()
		const failure = await this.#tryToOpen()
		if (this.#uris.size === 0 || !(failure instanceof NotTaken)) return failure
		for (const uri of this.#uris.keys()) this.#refused.add(uri)
		const refusal = await this.#tryToOpen()
		if (!refusal) await this.#takeBack([...this.#refused])
		return refusal
	}

	/** Adds URIs to the stream, without those because of which the server refuses it. */
	async #takeBack(uris: readonly string[]): Promise<void> {
		for (const uri of uris) this.#refused.delete(uri)
		if (!((await this.#tryToOpen()) instanceof NotTaken)) return
		for (const uri of uris) this.#refused.add(uri)
		if (uris.length === 1) return
		const half = Math.ceil(uris.length / 2)
		await this.#takeBack(uris.slice(0, half))
		await this.#takeBack(uris.slice(half))
	}

	#tryToOpen(): Promise<unknown> {
		return this.#reopen().catch((error: unknown) => error)
	}

	/** The stream keeps its scope; notifications without a listener are ignored. */
	#unsubscribe(uri: string): void {
		const users = this.#uris.get(uri) ?? 0
		if (users > 1) this.#uris.set(uri, users - 1)
		else {
			this.#uris.delete(uri)
			this.#refused.delete(uri)
		}
	}

	/** Opens a stream with the current scope, and ends the previous one when the new one is acknowledged. */
	async #reopen(): Promise<void> {
		const reached = this.#reach()
		this.server = reached instanceof Promise ? await reached : reached
		if (this.isIdle) return
		// This attempt takes the place of one that waits for its turn; otherwise there would soon be another stream.
		this.#stopTimer()
		const uris = [...this.#uris.keys()].filter((uri) => !this.#refused.has(uri))
		const { headers, body } = modernListen(this.#nextId(), uris)
		const { origin, path, headers: own } = targetOf(this.server)
		const request = {
			origin,
			path,
			method: 'POST' as const,
			headers: { ...own, ...headers },
			body,
			idleMs: 0,
		}
		await this.#open(request)
		if (!this.#hasGap) return
		this.#hasGap = false
		this.#announceAll()
	}

	/** Resolves when the stream is acknowledged, which must happen soon. Afterwards it may be silent forever. */
	#open(request: Omit<ExchangeRequest, 'messageBytes'>): Promise<void> {
		const { answerBytes: messageBytes, handshakeMs } = this.#context.limits
		this.#opened += 1
		const number = this.#opened
		return new Promise<void>((resolve, reject) => {
			const stream = new Exchange(
				this.#context.dispatcher,
				{ ...request, messageBytes, repeatable: true },
				{
					message: (text) => {
						if (!this.#take(text, number)) return
						clearTimeout(tooLong)
						this.#replaceOlder(stream, number)
						resolve()
					},
					ended: (end) => queueMicrotask(() => failed(this.#reasonOf(end))),
					failed: (error) => queueMicrotask(() => failed(error)),
				},
			)
			this.#streams.push(stream)
			const tooLong = setTimeout(
				() => stream.abort(upstreamFailure(this.server, 'timeout', 'did not answer in time.')),
				handshakeMs,
			)
			const failed = (error: Error) => {
				clearTimeout(tooLong)
				reject(error)
				this.#ended(stream)
			}
		})
	}

	/** Why a stream that ended was not acknowledged. */
	#reasonOf(end: ExchangeEnd): Error {
		try {
			if (end.streamed) return upstreamFailure(this.server, 'upstream_disconnected', 'ended its stream.')
			this.#take(end.body.toString(), 0)
		} catch (error) {
			if (error instanceof NotTaken) return error
		}
		return noAnswer(this.server, end)
	}

	/** True for the acknowledgement. That of a stream with a smaller scope may come after that of its successor. */
	#take(text: string, number: number): boolean {
		const message = readMessage(parseJsonText(text))
		if (message.kind === 'response' && message.error) throw new NotTaken(message.error.message)
		if (message.kind !== 'notification') return false
		this.#failures = 0
		if (message.method !== 'notifications/subscriptions/acknowledged') {
			for (const listener of this.#listeners) listener(message)
			return false
		}
		if (number < this.#acknowledged) return true
		this.#acknowledged = number
		const { notifications } = message.params
		const taken = isObject(notifications) ? notifications.resourceSubscriptions : []
		this.#taken = new Set(Array.isArray(taken) ? taken : [])
		return true
	}

	#replaceOlder(stream: Exchange, number: number): void {
		if (number < this.#acknowledged) return
		this.#current = stream
		const at = this.#streams.indexOf(stream)
		for (const older of this.#streams.slice(0, Math.max(at, 0)))
			older.abort(new NotTaken('Another stream took its place.'))
	}

	/** Retries with increasing delay when the last stream has ended. The server may not support such streams. */
	#ended(stream: Exchange): void {
		if (!this.#streams.includes(stream)) return
		this.#streams = this.#streams.filter((other) => other !== stream)
		if (stream === this.#current) this.#current = null
		if (this.#listeners.size === 0) return
		if (this.#current === null) this.#hasGap = true
		if (this.#streams.length > 0) return
		this.#reopenLater()
	}

	#stopTimer(): void {
		if (this.#timer) clearTimeout(this.#timer)
		this.#timer = null
	}

	#reopenLater(): void {
		this.#stopTimer()
		const waitMs = doubledMs(backOff, this.#failures)
		this.#failures = Math.min(this.#failures + 1, 6)
		this.#timer = setTimeout(() => {
			this.#timer = null
			// A missing token prevents the stream from being opened, so no end of a stream triggers the retry.
			void this.#regain().then((failure) => {
				const isLost = failure && this.#streams.length === 0 && !this.#timer && this.#listeners.size > 0
				if (isLost) this.#reopenLater()
			})
		}, waitMs).unref()
	}

	/** Changes while the stream was closed are unknown, so everything may have changed. */
	#announceAll(): void {
		const missed = [
			...listNotifications.map((method) => ({ method, params: {} })),
			...[...this.#uris.keys()].map((uri) => ({
				method: 'notifications/resources/updated',
				params: { uri },
			})),
		]
		for (const { method, params } of missed)
			for (const listener of this.#listeners) listener({ kind: 'notification', method, params })
	}
}
