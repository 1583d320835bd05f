import { isSamePlace, type JsonObject, openLegacySession } from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { forwardedCapabilities } from '../input-requests.ts'
import type { AskableCall, ClientProgram, Operation } from '../operation.ts'
import type { ResolveServer, UpstreamCall, UpstreamContext } from './upstream.ts'
import { hasId, UpstreamSession } from './upstream-session.ts'
import type { SessionTerms, UpstreamSessions } from './upstream-sessions.ts'

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
			runningThere: () => this.#runningAt(server.id),
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
