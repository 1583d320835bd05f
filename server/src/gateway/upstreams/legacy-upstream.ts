import { readChallenge } from '../../access/upstream-credentials/upstream-credentials.ts'
import {
	type Cancellation,
	CredentialsRefused,
	isSamePlace,
	isServersOwn,
	type JsonObject,
	type LegacySession,
	openLegacySession,
	RpcFailure,
	type RpcResponse,
	SessionLost,
	sendRequest,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import { doubledMs } from '../../platform/retry.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { forwardedCapabilities } from '../input-requests.ts'
import { type AskableCall, type ClientProgram, type Operation, takeStartedExchange } from '../operation.ts'
import {
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
import { hasId, UpstreamSession } from './upstream-session.ts'
import type { SessionTerms, UpstreamSessions } from './upstream-sessions.ts'

const reattaching = { firstMs: 1000, maxMs: 60_000 }

/**
 * Listens on an upstream session and, if it is lost, on the next one. Anything that may have changed in between is announced once.
 */
export function listenOnSessions(find: () => Promise<UpstreamSession>, listener: OnNotification): Listening {
	const uris = new Set<string>()
	let isClosed = false
	let timer: NodeJS.Timeout | null = null
	let failures = 0
	const attach = async (): Promise<Listening> => {
		const upstreamSession = await find()
		const onOpened = () => {
			if (uris.size === 0) failures = 0
		}
		upstreamSession.session.then(onOpened, () => {})
		return upstreamSession.listen(listener, reattach)
	}
	const attachAgain = () => {
		if (timer) clearTimeout(timer)
		timer = null
		attached = attach()
		attached.then(resubscribe, reattach)
	}
	/** Retries with increasing delay while the server is down. */
	const reattach = () => {
		if (isClosed || timer) return
		timer = setTimeout(attachAgain, doubledMs(reattaching, failures)).unref()
		failures += 1
	}
	/** The server may be unusable again. Then everything is repeated later; only what it refuses itself is given up. */
	const resubscribe = async (listening: Listening) => {
		let isComplete = true
		const one = async (uri: string) => {
			try {
				await listening.subscribe(uri)
			} catch (error) {
				if (isServersOwn(error)) uris.delete(uri)
				else isComplete = false
			}
			if (!isComplete) return
			listener({ kind: 'notification', method: 'notifications/resources/updated', params: { uri } })
		}
		await Promise.all([...uris].map(one))
		if (!isComplete) {
			listening.close()
			reattach()
		} else failures = 0
	}
	let attached = attach()
	attached.catch(reattach)
	return {
		subscribe: async (uri) => {
			const before = attached
			try {
				await (await before).subscribe(uri)
			} catch (error) {
				if (!(error instanceof SessionLost)) throw error
				if (attached === before) attachAgain()
				await (await attached).subscribe(uri)
			}
			uris.add(uri)
		},
		unsubscribe: async (uri) => {
			if (uris.delete(uri)) await (await attached).unsubscribe(uri)
		},
		close: () => {
			if (isClosed) return
			isClosed = true
			if (timer) clearTimeout(timer)
			attached.then(
				(listening) => listening.close(),
				() => {},
			)
		},
	}
}

export interface LegacyUpstream extends Upstream {
	/** The open upstream session that a call of this client would use; null if there is none yet. */
	openSession(server: ServerEntry, client: ClientProgram): UpstreamSession | null
	/** Opens the session of a legacy client unless it exists. */
	open(server: ServerEntry, client: ClientProgram): Promise<LegacySession>
	/** Called when a client's session with the gateway has ended. */
	leave(client: ClientProgram): Promise<void>
}

/** Servers of 2024-11-05 to 2025-11-25 over streamable HTTP: one handshake, then requests in its session. */
export function createLegacyUpstream(
	context: UpstreamContext,
	nextId: () => number,
	sessions: UpstreamSessions,
): LegacyUpstream {
	const pool = new UpstreamSessionPool(context, nextId, sessions)
	return {
		request: (call) => requestInSession(context, pool, call, nextId),
		listen: (_server, client, listener, reach) =>
			listenOnSessions(async () => pool.listenedTo(await reach(), client, reach), listener),
		openSession: (server, client) => pool.findOpen(server, client),
		open: (server, client) => pool.ofClient(server, client).session,
		leave: ({ sessionLabel }) => pool.end(sessionLabel),
		prune: (isKnown) => pool.prune(isKnown),
		close: () => pool.close(),
	}
}

/** A session that the server lost, or refuses to a renewed token, is reopened once: the refused request ran nowhere. */
async function requestInSession(
	context: UpstreamContext,
	pool: UpstreamSessionPool,
	call: UpstreamCall,
	nextId: () => number,
): Promise<RpcResponse> {
	const { operation } = call
	for (let attempt = 0; attempt < 2; attempt += 1) {
		const upstreamSession = pool.for(call)
		upstreamSession.begin(operation)
		try {
			const session =
				upstreamSession.opened ?? (await unlessCancelled(upstreamSession.session, operation.cancellation))
			return await request(context, call, upstreamSession, session, nextId)
		} catch (error) {
			if (!(error instanceof SessionLost) && !(isRefused(error) && (await upstreamSession.hasOldToken())))
				throw error
			await pool.forget(upstreamSession)
		} finally {
			upstreamSession.end(operation)
		}
	}
	throw upstreamFailure(call.server, 'upstream_session_lost', 'does not keep the sessions that it opens.')
}

function isRefused(error: unknown): boolean {
	const cause = error instanceof RpcFailure ? error.cause : null
	return cause instanceof CredentialsRefused && readChallenge(cause.challenge).error !== 'insufficient_scope'
}

async function request(
	context: UpstreamContext,
	call: UpstreamCall,
	upstreamSession: UpstreamSession,
	session: LegacySession,
	nextId: () => number,
): Promise<RpcResponse> {
	const { operation, server, params } = call
	const { method } = operation.request
	const { trace } = operation
	const { headers } = session
	const levelSet = upstreamSession.setLevel(operation)
	if (levelSet !== undefined) await levelSet
	const begun = takeStartedExchange(operation)
	const id = begun?.id ?? nextId()
	operation.sentAs = id
	const { response } = await sendRequest(context, {
		server,
		id,
		method,
		params: { ...params, _meta: relayedMeta(params, id, trace) },
		headers: { ...headers, ...relayedHeaders(trace) },
		idleMs: idleMsOf(context, upstreamSession),
		cancellation: operation.cancellation,
		sending: operation.sending,
		begun,
		onCancel: () =>
			upstreamSession.notify({
				method: 'notifications/cancelled',
				params: { requestId: id, reason: operation.cancellation.failure?.message ?? '' },
			}),
		onNotification: (notification) => {
			const message = relayNotification(operation, notification, id)
			if (message === null) upstreamSession.notifyListeners(notification)
			return message === null || operation.reply.notify(message)
		},
		onRequest: (asked) => upstreamSession.answer(operation, asked),
		drain: (resume) => operation.reply.onDrain(resume),
	})
	return response
}

/** A server that waits for a person's answer is silent meanwhile; a hanging call is ended by the operation's own time limit. */
export function idleMsOf(
	{ limits }: Pick<UpstreamContext, 'limits'>,
	upstreamSession: UpstreamSession,
): number {
	return upstreamSession.mayAsk ? limits.askMs + limits.totalMs : limits.idleMs
}

/** Waits for a shared handshake until this call is cancelled. */
export function unlessCancelled<T>(promise: Promise<T>, cancellation: Cancellation): Promise<T> {
	return new Promise((resolve, reject) => {
		cancellation.handOver(reject)
		promise.then(
			(value) => {
				cancellation.handOver(null)
				resolve(value)
			},
			(error: unknown) => {
				cancellation.handOver(null)
				reject(error)
			},
		)
	})
}

const idleMs = 10 * 60_000

/** The gateway's sessions with legacy servers: a shared one per server, and one for each client that can be asked for input. */
export class UpstreamSessionPool {
	readonly #context: UpstreamContext
	readonly #nextId: () => number
	readonly #sessions: UpstreamSessions
	/** The terms under which an upstream session may be continued by another process. */
	readonly #terms = new WeakMap<UpstreamSession, SessionTerms>()
	readonly #pooled = new Map<string, UpstreamSession>()

	constructor(context: UpstreamContext, nextId: () => number, sessions: UpstreamSessions) {
		this.#context = context
		this.#nextId = nextId
		this.#sessions = sessions
	}

	/**
	 * The upstream session that belongs to no client. A log level applies to a whole session, so clients that name one share a session
	 * with those that name the same.
	 */
	shared(server: ServerEntry, logLevel: string | null = null): UpstreamSession {
		return this.#of(server, logLevel ?? '', {})
	}

	/** The upstream session for a call. Concurrent callers share one handshake. */
	for({ server, operation }: UpstreamCall): UpstreamSession {
		const capabilities = forwardedCapabilities(operation.client.capabilities)
		if (Object.keys(capabilities).length === 0) return this.shared(server, operation.client.logLevel)
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
		const isShared = Object.keys(capabilities).length === 0
		const owner = isShared ? (client.logLevel ?? '') : client.sessionLabel
		// A modern client that can be asked for input gets an upstream session for each of its calls.
		if (owner === '' && !isShared) return null
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

	/**
	 * The upstream session on whose stream a client listens. The stream of a server without sessions belongs to nobody, so what is
	 * meant for one client could reach another: only announcements are taken from it, for all clients together.
	 */
	async listenedTo(
		server: ServerEntry,
		client: ClientProgram,
		reach: ResolveServer,
	): Promise<UpstreamSession> {
		const own = this.ofClient(server, client, reach)
		if (!own.mayAsk || hasId(await own.session)) return own
		const shared = this.shared(server)
		shared.reach = reach
		return shared
	}

	*#runningAt(serverId: string): Iterable<Operation | AskableCall> {
		for (const [key, { operations }] of this.#pooled) if (key.startsWith(serverId)) yield* operations
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
			keepPlace: async (held, eventId) => terms && this.#sessions.keepPlace(terms, held, eventId),
			runningThere: () => this.#runningAt(server.id),
			askBetweenCalls: () => (sessionId ? this.#context.askBetweenCalls(sessionId) : null),
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
