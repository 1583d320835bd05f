import {
	Cancellation,
	endLegacySession,
	isSamePlace,
	type JsonObject,
	openLegacySession,
	RpcFailure,
	type RpcNotification,
	type RpcRequest,
	ServerStream,
	sendOneWay,
	sendRequest,
} from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { forwardedCapabilities } from '../input-requests.ts'
import { type AskableCall, type ClientProgram, type Operation, wholeOf } from '../operation.ts'
import { severityOf } from '../protocol/log-levels.ts'
import { answerServer } from './answer-rounds.ts'
import type { LegacyContext, Listening, OnNotification, ResolveServer, UpstreamCall } from './upstream.ts'
import { isAnnouncement, isForClient, isListChange, relayProgress, relayToNewest } from './upstream.ts'
import type { HeldSession, SessionTerms, UpstreamSessions } from './upstream-sessions.ts'

const idleMs = 10 * 60_000

/** The gateway's sessions with legacy servers: a shared one per server, and one for each client that can be asked for input. */
export class UpstreamSessionPool {
	readonly #context: LegacyContext
	readonly #nextId: () => number
	readonly #sessions: UpstreamSessions
	/** The terms under which an upstream session may be continued by another process. */
	readonly #terms = new WeakMap<UpstreamSession, SessionTerms>()
	readonly #pooled = new Map<string, UpstreamSession>()

	constructor(context: LegacyContext, nextId: () => number, sessions: UpstreamSessions) {
		this.#context = context
		this.#nextId = nextId
		this.#sessions = sessions
	}

	/** The upstream session that belongs to no client. */
	shared(server: ServerEntry): UpstreamSession {
		return this.#of(server, '', {})
	}

	/** The upstream session for a call. Concurrent callers share one handshake. */
	for({ server, operation }: UpstreamCall): UpstreamSession {
		const capabilities = forwardedCapabilities(operation.client.capabilities)
		if (Object.keys(capabilities).length === 0) return this.shared(server)
		// A server finds its tasks by the session in which they began.
		const owner = operation.client.sessionLabel || operation.task?.id
		return this.#of(
			server,
			owner || this.#freeOwner(server, operation, capabilities),
			capabilities,
			operation.client.sessionId,
		)
	}

	/** The upstream session that a call of this client would use, if its handshake is done and nothing must be sent first. */
	findOpen(server: ServerEntry, client: ClientProgram): UpstreamSession | null {
		const capabilities = forwardedCapabilities(client.capabilities)
		const owner = Object.keys(capabilities).length === 0 ? '' : client.sessionLabel
		// A modern client that can be asked for input gets an upstream session for each of its calls.
		if (owner === '' && Object.keys(capabilities).length > 0) return null
		const upstreamSession = this.#pooled.get(keyOf(server, owner))
		return upstreamSession && upstreamSession.server === server && upstreamSession.takesAtOnce(client)
			? upstreamSession
			: null
	}

	/** The upstream session of a client's own calls; a modern client has none between calls. `reach`: where its stream goes. */
	ofClient(server: ServerEntry, client: ClientProgram, reach?: ResolveServer): UpstreamSession {
		const capabilities = client.sessionLabel ? forwardedCapabilities(client.capabilities) : {}
		const isShared = Object.keys(capabilities).length === 0
		const upstreamSession = isShared
			? this.shared(server)
			: this.#of(server, client.sessionLabel, capabilities, client.sessionId)
		if (reach) upstreamSession.reach = reach
		return upstreamSession
	}

	/** Drops an upstream session that failed or was lost, unless it has been replaced meanwhile. */
	async forget(upstreamSession: UpstreamSession): Promise<void> {
		for (const [key, held] of this.#pooled) if (held === upstreamSession) this.#pooled.delete(key)
		upstreamSession.drop()
		const terms = this.#terms.get(upstreamSession)
		const session = terms && (await upstreamSession.session.catch(() => null))
		if (session) await this.#sessions.forget(terms, session)
	}

	/** Called when a client's session with the gateway has ended: ends its sessions with servers. */
	async end(owner: string): Promise<void> {
		const own = [...this.#pooled].filter(([key]) => key.endsWith(` ${owner}`))
		for (const [key] of own) this.#pooled.delete(key)
		await Promise.all(own.map(([, upstreamSession]) => upstreamSession.close({ isForGood: true })))
	}

	prune(isKnown: (server: ServerEntry) => boolean): void {
		const before = this.#context.clock.nowMs() - idleMs
		for (const [key, upstreamSession] of this.#pooled) {
			// The shared session without anyone's token is kept.
			const isKept = key.endsWith(' ') && !upstreamSession.server.credentialOwner
			const isIdle = upstreamSession.isIdle && upstreamSession.usedAtMs < before && !isKept
			if (isKnown(upstreamSession.server) && !isIdle) continue
			this.#pooled.delete(key)
			void upstreamSession.close()
		}
	}

	async close(): Promise<void> {
		const pool = [...this.#pooled.values()]
		this.#pooled.clear()
		await Promise.race([
			Promise.all(pool.map((upstreamSession) => upstreamSession.close())),
			new Promise((resolve) => setTimeout(resolve, 1000).unref()),
		])
	}

	/**
	 * A modern client has no session. Each of its calls gets an upstream session that no other call uses, so that an input
	 * request outside of any answer can be assigned to it.
	 */
	#freeOwner(server: ServerEntry, { caller }: Operation, capabilities: object): string {
		const owner = `${caller.agentId} ${caller.credentialId} ${JSON.stringify(capabilities)}`
		for (let n = 0; ; n += 1) {
			const held = this.#pooled.get(keyOf(server, `${owner} ${n}`))
			if (!held || held.operations.size === 0) return `${owner} ${n}`
		}
	}

	#of(server: ServerEntry, owner: string, capabilities: JsonObject, sessionId?: string): UpstreamSession {
		const key = keyOf(server, owner)
		const held = this.#pooled.get(key)
		if (held && isSamePlace(held.server, server)) {
			held.server = server
			return held
		}
		if (held) void held.close()
		const open = () => openLegacySession(this.#context, server, { id: this.#nextId(), capabilities })
		const terms = sessionId === undefined ? null : { server, sessionId, capabilities }
		const made: UpstreamSession = new UpstreamSession(this.#context, this.#nextId, server, capabilities, {
			open: () => (terms ? this.#sessions.continueOrOpen(terms, open) : open()),
			onLost: () => void this.forget(made),
		})
		made.onOwnNotification = (notification) =>
			this.#context.onOwnNotification(server.id, sessionId, notification)
		if (terms) this.#terms.set(made, terms)
		this.#pooled.set(key, made)
		made.session.catch(() => this.forget(made))
		return made
	}
}

function keyOf(server: ServerEntry, owner: string): string {
	// Sessions of different authorizations are never shared.
	return `${server.id}${server.credentialOwner ? `@${server.credentialOwner}` : ''} ${owner}`
}

/** Limit of pending input requests of one call, whether they wait for the client or for the server to accept the answer. */
const askedMost = 32

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
	readonly #context: LegacyContext
	readonly #nextId: () => number
	/** Whether the server may ask: then the upstream session belongs to one client. */
	readonly mayAsk: boolean
	readonly #listeners = new Set<OnNotification>()
	readonly #uris = new Map<string, number>()
	readonly #inputRequests = new Map<string, AbortController>()
	#stream: ServerStream | null = null
	#last: Operation | AskableCall | null = null
	#level: string | null = null
	readonly #onLost: () => void
	readonly #openedWith: string | undefined
	readonly #onDropped = new Set<() => void>()
	readonly #asked = new Map<Operation | null, number>()
	#isOver = false

	/** `open` gives its session; `onLost` is called when the server does not know that any more. */
	constructor(
		context: LegacyContext,
		nextId: () => number,
		server: ServerEntry,
		capabilities: JsonObject,
		{ open, onLost }: { open(): Promise<HeldSession>; onLost(): void },
	) {
		this.#onLost = onLost
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
				if (this.mayAsk) this.#openStream()
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
		this.#last = operation
		this.usedAtMs = this.#context.clock.nowMs()
	}

	end(operation: Operation | AskableCall): void {
		this.operations.delete(operation)
		this.usedAtMs = this.#context.clock.nowMs()
	}

	/** Sets the log level that this operation's client wants. On a shared upstream session the most detailed level applies. */
	setLevel({ client: { logLevel } }: Operation): Promise<void> | undefined {
		return logLevel === null || logLevel === this.#level ? undefined : this.#setLevel(logLevel)
	}

	async #setLevel(logLevel: string): Promise<void> {
		const isFiner = this.#level === null || severityOf(logLevel) < severityOf(this.#level)
		const { capabilities } = await this.session
		if (capabilities.logging === undefined || !(isFiner || this.mayAsk)) return
		this.#level = logLevel
		await this.#request('logging/setLevel', { level: logLevel }).catch(() => {})
	}

	/** Handles a notification of the server that belongs to no request, or that arrived on the session's stream. */
	notifyListeners(notification: RpcNotification): void {
		if (notification.method === 'notifications/cancelled') this.#withdraw(notification.params)
		else if (relayProgress(this.operations, notification)) return
		else if (this.mayAsk && isListChange(notification.method)) this.onOwnNotification(notification)
		else if (this.mayAsk && isForClient(notification.method)) {
			if (!relayToNewest(this.operations, notification)) this.onOwnNotification(notification)
		} else if (this.mayAsk || isAnnouncement(notification.method))
			for (const listener of this.#listeners) listener(notification)
	}

	/**
	 * Answers a request of the server by asking the client of the operation with which it arrived. Throws when too many are
	 * pending, which ends that exchange: each of them costs a request.
	 */
	answer(operation: Operation | null, request: RpcRequest): void {
		const asked = this.#asked.get(operation) ?? 0
		if (asked >= askedMost) throw new Error(`It asks more than ${askedMost} input requests at once.`)
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
		const options = {
			signal: controller.signal,
			onProgress: (params: JsonObject) => this.notify({ method: 'notifications/progress', params }),
		}
		const answer = await answerServer(operation, request, options)
		this.#inputRequests.delete(key)
		// A server that withdrew an input request expects no answer.
		if (!controller.signal.aborted) await this.#send({ id: request.id, ...answer })
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
				if (this.#listeners.size === 0 && !this.mayAsk) this.#closeStream()
			},
		}
	}

	/** Ends the session. A stored one is left open unless `isForGood`, because it can be continued here or by another process. */
	async close({ isForGood = false } = {}): Promise<void> {
		this.drop()
		const session = await this.session.catch(() => null)
		if (session && (isForGood || !session.kept)) await endLegacySession(this.#context, this.server, session)
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
		const users = this.#uris.get(uri) ?? 0
		this.#uris.set(uri, users + 1)
		if (users > 0) return
		await this.#request('resources/subscribe', { uri }).catch((error: unknown) => {
			this.#uris.delete(uri)
			throw error
		})
	}

	async #unsubscribe(uri: string): Promise<void> {
		const users = this.#uris.get(uri) ?? 0
		if (users > 1) return void this.#uris.set(uri, users - 1)
		if (this.#uris.delete(uri)) await this.#request('resources/unsubscribe', { uri })
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
		})
		const { error } = response
		if (error) throw new RpcFailure(error.code, error.message, { data: error.data })
	}

	#openStream(): void {
		this.#stream ??= new ServerStream(this.#context, () => this.reach(), this.session, {
			onNotification: (notification) => this.notifyListeners(notification),
			onRequest: (request) => this.answer(this.mayAsk ? wholeOf(this.#last) : null, request),
			onLost: this.#onLost,
		})
	}

	#closeStream(): void {
		this.#stream?.close()
		this.#stream = null
	}

	#withdraw({ requestId, reason }: JsonObject): void {
		const text = typeof reason === 'string' ? reason : 'The server took its input request back.'
		this.#inputRequests.get(JSON.stringify(requestId))?.abort(new RpcFailure(-32603, text))
	}
}
