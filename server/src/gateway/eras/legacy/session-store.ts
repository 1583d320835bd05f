import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { AskableCall, Caller, ClientProgram, Operation } from '../../operation.ts'
import {
	deleteSession,
	deleteSessionsUnusedSince,
	findSession,
	findSessionIds,
	insertSession,
	touchSessions,
	updateSessionState,
} from '../../session-repository.ts'

/** A client between its `initialize` and its DELETE. */
export interface ClientSession {
	id: string
	agentId: string
	/** The user of its credential, or null. */
	userId: string | null
	credentialId: string
	workspaceId: string
	serverId: string | null
	client: ClientProgram
	/** The URIs that it is subscribed to, as the client wrote them. */
	subscriptions: Set<string>
	/** True for a session of the 2024 transport, which lives as long as the stream that carries all its answers. */
	isLine: boolean
	/** Running requests, by the JSON of their id, for `notifications/cancelled`. */
	running: Map<string, Operation | (AskableCall & Pick<Operation, 'cancellation'>)>
	/** When it was last seen in use here, to the minute. */
	lastUsedMs: number
}

interface StoredState extends Pick<ClientProgram, 'protocolVersion' | 'info' | 'capabilities' | 'logLevel'> {
	subscriptions?: string[]
}

/** Never occurs in a random label. */
const sseMark = '~'
const maxCached = 20_000
const unusedMs = 24 * 60 * 60 * 1000

/**
 * Sessions of legacy clients. An id is random with a MAC over its owner, so another caller's id or an invented one causes no
 * read. The row outlives the process. Calls read the cache and write nothing.
 */
export class SessionStore {
	readonly #db: Database
	readonly #sealer: Sealer
	readonly #clock: Clock
	readonly #cache = new Map<string, ClientSession>()
	readonly #used = new Set<string>()

	constructor(db: Database, sealer: Sealer, clock: Clock) {
		this.#db = db
		this.#sealer = sealer
		this.#clock = clock
	}

	async create(caller: Caller, state: StoredState, transport?: 'sse-2024'): Promise<ClientSession> {
		const random = randomBytes(16).toString('base64url')
		const label = transport === 'sse-2024' ? `${sseMark}${random}` : random
		const id = `${label}.${this.#mac(label, caller)}`
		const nowMs = this.#clock.nowMs()
		const owner = {
			workspace_id: caller.workspaceId,
			agent_id: caller.agentId,
			credential_id: caller.credentialId,
			server_id: caller.serverId,
		}
		await insertSession(this.#db, {
			id,
			...owner,
			state: JSON.stringify(state),
			created_at: nowMs,
			last_used_at: nowMs,
		})
		return this.#keep(id, caller, state)
	}

	/** The caller's session with this id. Null if it has ended, never existed, or belongs to another agent, key or endpoint. */
	find(id: string, caller: Caller): ClientSession | null | Promise<ClientSession | null> {
		const cached = this.#cache.get(id)
		if (!cached) return this.#isOurs(id, caller) ? this.#read(id, caller) : null
		if (
			cached.agentId !== caller.agentId ||
			cached.credentialId !== caller.credentialId ||
			cached.serverId !== caller.serverId
		)
			return null
		this.#used.add(id)
		return cached
	}

	async setLogLevel(session: ClientSession, logLevel: string): Promise<void> {
		session.client = { ...session.client, logLevel }
		await this.save(session)
	}

	/** Stores the client's declarations and subscriptions. */
	async save({ workspaceId, id, client, subscriptions }: ClientSession): Promise<void> {
		const { protocolVersion, info, capabilities, logLevel } = client
		const state = { protocolVersion, info, capabilities, logLevel, subscriptions: [...subscriptions] }
		await updateSessionState(this.#db, workspaceId, id, JSON.stringify(state))
	}

	/** The session if it is in this process's cache. */
	cached(id: string): ClientSession | undefined {
		return this.#cache.get(id)
	}

	/** Reads a session again that another process has changed. Null if it has ended. */
	async reread(session: ClientSession): Promise<ClientSession | null> {
		const row = await findSession(this.#db, session.workspaceId, session.id)
		if (!row) {
			this.#cache.delete(session.id)
			return null
		}
		const { subscriptions, ...ofClient } = JSON.parse(row.state) as StoredState
		session.client = { ...session.client, ...ofClient }
		session.subscriptions = new Set(subscriptions)
		return session
	}

	async end(session: ClientSession): Promise<void> {
		this.#cache.delete(session.id)
		this.#used.delete(session.id)
		await deleteSession(this.#db, session.workspaceId, session.id)
		// A request that came meanwhile may have read it again.
		this.#cache.delete(session.id)
	}

	/**
	 * Stores which sessions were used, and deletes those that were unused for a day. A session whose client is connected is in use.
	 * Resolves with the deleted ones that this process knew.
	 */
	async flush(connected: Iterable<string> = []): Promise<ClientSession[]> {
		const nowMs = this.#clock.nowMs()
		const ids = [...new Set([...this.#used, ...connected])]
		this.#used.clear()
		for (const id of ids) {
			const session = this.#cache.get(id)
			if (session) session.lastUsedMs = nowMs
		}
		for (const some of batches(ids)) await touchSessions(this.#db, some, nowMs)
		const beforeMs = this.#clock.deletionMs() - unusedMs
		await deleteSessionsUnusedSince(this.#db, beforeMs)
		return this.#forgetUnusedSince(beforeMs)
	}

	/** A session that another process still uses is read again when it is next used here. */
	async #forgetUnusedSince(atMs: number): Promise<ClientSession[]> {
		const unused = [...this.#cache.values()].filter(
			({ id, lastUsedMs, running }) => lastUsedMs < atMs && running.size === 0 && !this.#used.has(id),
		)
		for (const { id } of unused) this.#cache.delete(id)
		const kept = new Set<string>()
		for (const some of batches(unused.map(({ id }) => id)))
			for (const id of await findSessionIds(this.#db, some)) kept.add(id)
		return unused.filter(({ id }) => !kept.has(id))
	}

	async #read(id: string, caller: Caller): Promise<ClientSession | null> {
		const row = await findSession(this.#db, caller.workspaceId, id)
		if (!row) return null
		this.#used.add(id)
		return this.#cache.get(id) ?? this.#keep(id, caller, JSON.parse(row.state) as StoredState)
	}

	#keep(id: string, caller: Caller, state: StoredState): ClientSession {
		const { agentId, userId, credentialId, workspaceId, serverId } = caller
		const { subscriptions, ...ofClient } = state
		const client: ClientProgram = { era: 'legacy', ...ofClient, sessionLabel: labelOf(id), sessionId: id }
		const session: ClientSession = {
			id,
			...{ agentId, userId, credentialId, workspaceId, serverId },
			client,
			subscriptions: new Set(subscriptions),
			isLine: id.startsWith(sseMark),
			running: new Map(),
			lastUsedMs: this.#clock.nowMs(),
		}
		this.#cache.set(id, session)
		// Evicts the oldest; it is read again from its row when it is next used.
		if (this.#cache.size > maxCached) this.#cache.delete(this.#cache.keys().next().value as string)
		return session
	}

	#isOurs(id: string, caller: Caller): boolean {
		const given = Buffer.from(id.slice(labelOf(id).length + 1))
		const right = Buffer.from(this.#mac(labelOf(id), caller))
		return given.length === right.length && timingSafeEqual(given, right)
	}

	#mac(label: string, { workspaceId, agentId, credentialId, serverId }: Caller): string {
		return this.#sealer
			.mac('mcp-session', JSON.stringify([label, workspaceId, agentId, credentialId, serverId]))
			.slice(0, 32)
	}
}

/** The ids of one statement each. */
function* batches(ids: readonly string[]): Iterable<readonly string[]> {
	for (let from = 0; from < ids.length; from += 500) yield ids.slice(from, from + 500)
}

/** The random part of an id: names the session in telemetry and gives no access. */
function labelOf(id: string): string {
	return id.slice(0, Math.max(0, id.indexOf('.')))
}
