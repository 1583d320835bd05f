import {
	Cancellation,
	endLegacySession,
	type JsonObject,
	type LegacySession,
	RpcFailure,
	type RpcNotification,
	type RpcRequest,
	ServerStream,
	SessionLost,
	sendOneWay,
	sendRequest,
} from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import {
	type Ask,
	type AskableCall,
	type Asking,
	asOperation,
	type ClientProgram,
	type Operation,
} from '../operation.ts'
import { answerServer } from './answer-rounds.ts'
import type { Listening, OnNotification, ResolveServer, UpstreamContext } from './upstream.ts'
import { isAnnouncement, isForClient, isListChange, relayProgress, relayToNewest } from './upstream.ts'
import type { HeldSession } from './upstream-sessions.ts'

/** Limit of pending input requests of one call, whether they wait for the client or for the server to accept the answer. */
const maxAsked = 32

/** What an upstream session gets from its pool. */
interface SessionOwner {
	open(): Promise<HeldSession>
	onLost(): void
	/** Stores the last event of its stream that was received. */
	keepPlace(session: HeldSession, lastEventId: string): Promise<unknown>
	/** The calls of all clients that run at this server. */
	runningThere(): Iterable<Operation | AskableCall>
	/** How its client is asked between calls; null if it cannot be. */
	askBetweenCalls(): Ask | null
}

/** Whether the server has a session, with a stream of its own. */
export function hasId({ headers }: LegacySession): boolean {
	return headers['mcp-session-id'] !== undefined
}

/** Whether its client is asked in a session with the gateway, which goes on when the operation ends. */
function isInSession({ client, task }: Pick<Operation, 'client' | 'task'>): boolean {
	return client.era === 'legacy' && !task
}

/**
 * One session with a legacy server, with its stream and subscriptions. One without client capabilities is shared by all clients
 * that cannot be asked for input; one with capabilities belongs to one client, so that an input request reaches the right one.
 */
export class UpstreamSession {
	server: ServerEntry
	/** The address and token for its stream. The default is that of calls, until a listener supplies its own. */
	reach: ResolveServer = () => this.server
	/** If the session belongs to one client: called for changed lists, and for what that client must get outside a call. */
	onOwnNotification: OnNotification = () => {}
	readonly session: Promise<HeldSession>
	/** The session once its handshake is done, until the upstream session ends. */
	opened: HeldSession | null = null
	/** The calls that run on it. */
	readonly operations = new Set<Operation | AskableCall>()
	usedAtMs: number
	readonly #context: UpstreamContext
	readonly #nextId: () => number
	/** Whether the server may ask: then the upstream session belongs to one client. */
	readonly mayAsk: boolean
	readonly #listeners = new Set<OnNotification>()
	readonly #uris = new Map<string, { users: number; taken: Promise<void> }>()
	readonly #inputRequests = new Map<string, AbortController>()
	#stream: ServerStream | null = null
	#hadStream = false
	#level: string | null = null
	readonly #owner: Omit<SessionOwner, 'open'>
	#watch: NodeJS.Timeout | null = null
	readonly #openedWith: string | undefined
	readonly #onDropped = new Set<() => void>()
	readonly #asked = new Map<Operation | null, number>()
	#isOver = false

	/** `open` gives its session; `onLost` is called when the server does not know that any more. */
	constructor(
		context: UpstreamContext,
		nextId: () => number,
		server: ServerEntry,
		capabilities: JsonObject,
		{ open, ...owner }: SessionOwner,
	) {
		this.#owner = owner
		this.#context = context
		this.#nextId = nextId
		this.mayAsk = Object.keys(capabilities).length > 0
		this.server = server
		this.#openedWith = server.headers.get('authorization')
		this.usedAtMs = context.clock.nowMs()
		this.session = open()
		this.session
			.then((session) => {
				if (!this.#isOver) this.opened = session
				if (this.mayAsk && hasId(session)) this.#openStream()
			})
			.catch(() => {})
	}

	/** Whether its session was opened with a token that has been renewed since. Some servers bind the session to the token. */
	async hasOldToken(): Promise<boolean> {
		const { isContinued } = await this.session
		return isContinued === true || this.server.headers.get('authorization') !== this.#openedWith
	}

	get isIdle(): boolean {
		return this.operations.size === 0 && this.#listeners.size === 0
	}

	/** Whether a call of this client can be sent without another request first. */
	takesAtOnce({ logLevel }: ClientProgram): boolean {
		return this.opened !== null && (logLevel === null || logLevel === this.#level)
	}

	begin(operation: Operation | AskableCall): void {
		this.operations.add(operation)
		this.usedAtMs = this.#context.clock.nowMs()
		if (!this.mayAsk && this.#watch === null) this.#watchFor(operation)
	}

	end(operation: Operation | AskableCall): void {
		this.operations.delete(operation)
		this.usedAtMs = this.#context.clock.nowMs()
		if (this.#stream) this.#closeUnusedStream()
	}

	/**
	 * Opens the stream of a shared session while a call is slow: it may be waiting for a request that its server sends only there
	 * (mcp-go's sampling and roots), and which is then refused. Calls that are answered soon need no stream.
	 */
	#watchFor(oldest: Operation | AskableCall): void {
		this.#watch = setTimeout(() => {
			this.#watch = null
			const [next] = this.operations
			if (this.#isOver) return
			if (this.operations.has(oldest)) this.#openStream()
			else if (next) this.#watchFor(next)
		}, this.#context.limits.slowCallMs).unref()
	}

	#closeUnusedStream(): void {
		if (!this.mayAsk && this.#listeners.size === 0 && this.operations.size === 0) this.#closeStream()
	}

	/** Sets the log level that this operation's client wants. */
	setLevel({ client: { logLevel } }: Operation): Promise<void> | undefined {
		return logLevel === null || logLevel === this.#level ? undefined : this.#setLevel(logLevel)
	}

	async #setLevel(logLevel: string): Promise<void> {
		const { capabilities } = await this.session
		if (capabilities.logging === undefined) return
		this.#level = logLevel
		await this.#request('logging/setLevel', { level: logLevel }).catch(() => {})
	}

	/** Handles a notification of the server that belongs to no request, or that arrived on the session's stream. */
	notifyListeners(notification: RpcNotification): void {
		if (notification.method === 'notifications/cancelled') this.#withdraw(notification.params)
		else if (relayProgress(this.#callsOnStream(), notification)) return
		else if (this.mayAsk && isListChange(notification.method)) this.onOwnNotification(notification)
		else if (this.mayAsk && isForClient(notification.method)) {
			if (!relayToNewest(this.operations, notification)) this.onOwnNotification(notification)
		} else if (isListChange(notification.method) && this.#listeners.size === 0)
			this.onOwnNotification(notification)
		else if (this.mayAsk || isAnnouncement(notification.method))
			for (const listener of this.#listeners) listener(notification)
	}

	/** Without a session id, a server has one stream for all clients (mcp-go's `WithStateLess`). */
	#callsOnStream(): Iterable<Operation | AskableCall> {
		return !this.opened || hasId(this.opened) ? this.operations : this.#owner.runningThere()
	}

	/**
	 * Answers a request of the server by asking the client of the operation with which it arrived; null if that was no call's own
	 * stream. Throws when too many are pending, which ends that exchange: each of them costs a request.
	 */
	answer(operation: Operation | null, request: RpcRequest): void {
		const asked = this.#asked.get(operation) ?? 0
		if (asked >= maxAsked) throw new Error(`It asks more than ${maxAsked} input requests at once.`)
		this.#asked.set(operation, asked + 1)
		this.#answer(operation, request)
			.catch(() => {})
			.finally(() => {
				const left = (this.#asked.get(operation) ?? 1) - 1
				if (left > 0) this.#asked.set(operation, left)
				else this.#asked.delete(operation)
			})
	}

	async #answer(operation: Operation | null, request: RpcRequest): Promise<void> {
		const key = JSON.stringify(request.id)
		const controller = new AbortController()
		this.#inputRequests.set(key, controller)
		const running = operation ?? this.#newest()
		const elsewhere = this.#context.sharesSessions ? 'elsewhere' : null
		// Only over streamable HTTP does a call have a stream of its own.
		const isOnSharedStream = operation === null || this.server.transportType !== 'http'
		const options = {
			signal: controller.signal,
			onProgress: (params: JsonObject) => this.notify({ method: 'notifications/progress', params }),
			isBetweenCalls: running === null,
			...(isOnSharedStream && {
				isOfUnknownCall: this.operations.size > 1 || elsewhere !== null,
				successor: (of: Asking) => (isInSession(of) ? (this.#newest(of) ?? elsewhere) : null),
			}),
		}
		const ask = running ? running.ask : this.#owner.askBetweenCalls()
		const answer = await answerServer(this.mayAsk ? ask : null, request, options)
		this.#inputRequests.delete(key)
		// A server that withdrew an input request expects no answer.
		if (!controller.signal.aborted) await this.#send({ id: request.id, ...answer })
	}

	/** The newest running call that may have caused a request on a stream of many calls; after `of`, one in the same session. */
	#newest(of?: Asking): Operation | null {
		for (const call of [...this.operations].reverse()) {
			const operation = asOperation(call) as Operation
			if (operation === of || operation.cancellation.failure) continue
			if (!of || isInSession(operation)) return operation
		}
		return null
	}

	notify(message: object): void {
		void this.#send(message).catch(() => {})
	}

	async #send(message: object): Promise<void> {
		const { headers } = await this.session
		await sendOneWay(this.#context, this.server, headers, { jsonrpc: '2.0', ...message })
	}

	/** `onDropped` is called when the session has ended and another one must be found. */
	listen(listener: OnNotification, onDropped: () => void): Listening {
		this.#listeners.add(listener)
		this.#onDropped.add(onDropped)
		const own = new Set<string>()
		this.session.then(() => this.#openStream()).catch(() => {})
		return {
			subscribe: async (uri) => {
				if (own.has(uri)) return
				own.add(uri)
				await this.#subscribe(uri).catch((error: unknown) => {
					own.delete(uri)
					throw error
				})
			},
			unsubscribe: async (uri) => {
				if (own.delete(uri)) await this.#unsubscribe(uri)
			},
			close: () => {
				this.#listeners.delete(listener)
				this.#onDropped.delete(onDropped)
				for (const uri of own) this.#unsubscribe(uri).catch(() => {})
				this.#closeUnusedStream()
			},
		}
	}

	/** Ends the session. A stored one is left open unless `isForGood`, because it can be continued here or by another process. */
	async close({ isForGood = false } = {}): Promise<void> {
		const lastEventId = this.#stream?.lastEventId
		this.drop()
		const session = await this.session.catch(() => null)
		if (!session) return
		if (isForGood || !session.kept) await endLegacySession(this.#context, this.server, session)
		else if (lastEventId) await this.#owner.keepPlace(session, lastEventId)
	}

	/** Marks the session as ended and notifies the listeners. */
	drop(): void {
		this.#isOver = true
		this.opened = null
		this.#closeStream()
		for (const listener of this.#onDropped) listener()
		this.#onDropped.clear()
	}

	async #subscribe(uri: string): Promise<void> {
		const one = this.#uris.get(uri) ?? { users: 0, taken: this.#request('resources/subscribe', { uri }) }
		one.users += 1
		this.#uris.set(uri, one)
		try {
			await one.taken
		} catch (error) {
			if (this.#uris.get(uri) === one) this.#uris.delete(uri)
			throw error
		}
	}

	async #unsubscribe(uri: string): Promise<void> {
		const one = this.#uris.get(uri)
		if (!one) return
		one.users -= 1
		if (one.users > 0) return
		this.#uris.delete(uri)
		await this.#request('resources/unsubscribe', { uri })
	}

	async #request(method: string, params: JsonObject): Promise<void> {
		const { headers } = await this.session
		const { response } = await sendRequest(this.#context, {
			server: this.server,
			id: this.#nextId(),
			method,
			params,
			headers,
			idleMs: this.#context.limits.handshakeMs,
			cancellation: new Cancellation(),
			// Where all streams are one (HTTP+SSE, programs), what concerns a call may arrive with the oldest request.
			onNotification: (notification) => {
				this.notifyListeners(notification)
				return true
			},
			onRequest: (asked) => this.answer(null, asked),
		}).catch((error: unknown) => {
			if (error instanceof SessionLost) this.#owner.onLost()
			throw error
		})
		const { error } = response
		if (error) throw new RpcFailure(error.code, error.message, { data: error.data })
	}

	#openStream(): void {
		this.#stream ??= new ServerStream(this.#context, () => this.reach(), this.session, {
			onNotification: (notification) => this.notifyListeners(notification),
			onRequest: (request) => this.answer(null, request),
			onLost: () => {
				// A server without streams may answer 404 too; calls show whether it still knows the session.
				if (this.mayAsk || this.#listeners.size > 0) this.#owner.onLost()
			},
			onRefused: () => {
				// Go's SDK opens no second stream of a session when it has forgotten events of the first; another session gets one.
				if (!this.mayAsk && this.#hadStream && this.#listeners.size > 0) this.#owner.onLost()
			},
		})
	}

	#closeStream(): void {
		if (this.#watch) clearTimeout(this.#watch)
		this.#watch = null
		if (this.#stream?.isOpen) this.#hadStream = true
		this.#stream?.close()
		this.#stream = null
	}

	#withdraw({ requestId, reason }: JsonObject): void {
		const text = typeof reason === 'string' ? reason : 'The server took its input request back.'
		this.#inputRequests.get(JSON.stringify(requestId))?.abort(new RpcFailure(-32603, text))
	}
}
