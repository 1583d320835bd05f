import { isSamePlace, type JsonObject, openLegacySession } from '../../mcp-client/index.ts'
import type { ServerEntry } from '../../servers/index.ts'
import type { ClientProgram, Operation } from '../operation.ts'
import { passedCapabilities } from '../questions.ts'
import type { Reach, UpstreamCall, UpstreamContext } from './upstream.ts'
import { UpstreamSession } from './upstream-session.ts'
import type { SessionTerms, UpstreamSessions } from './upstream-sessions.ts'

const idleMs = 10 * 60_000

/** Our sessions with legacy servers: one shared one a server, and one for each client that can be asked back. */
export class UpstreamSessionPool {
	readonly #context: UpstreamContext
	readonly #nextId: () => number
	readonly #sessions: UpstreamSessions
	/** Under which terms a line's session may be continued elsewhere. */
	readonly #terms = new WeakMap<UpstreamSession, SessionTerms>()
	readonly #lines = new Map<string, UpstreamSession>()

	constructor(context: UpstreamContext, nextId: () => number, sessions: UpstreamSessions) {
		this.#context = context
		this.#nextId = nextId
		this.#sessions = sessions
	}

	/** The line that belongs to no client. */
	shared(server: ServerEntry): UpstreamSession {
		return this.#of(server, '', {})
	}

	/** The line for a call; callers that come at once share one handshake. */
	for({ server, operation }: UpstreamCall): UpstreamSession {
		const capabilities = passedCapabilities(operation.client.capabilities)
		if (Object.keys(capabilities).length === 0) return this.shared(server)
		// A server knows its tasks by the session that they began in.
		const owner = operation.client.sessionLabel || operation.task?.id
		return this.#of(
			server,
			owner || this.#freeOwner(server, operation, capabilities),
			capabilities,
			operation.client.sessionId,
		)
	}

	/** The line on which a client's own calls go; a modern client has none of its own between calls. `reach`: for its stream. */
	ofClient(server: ServerEntry, client: ClientProgram, reach?: Reach): UpstreamSession {
		const capabilities = client.sessionLabel ? passedCapabilities(client.capabilities) : {}
		const isShared = Object.keys(capabilities).length === 0
		const line = isShared
			? this.shared(server)
			: this.#of(server, client.sessionLabel, capabilities, client.sessionId)
		if (reach) line.reach = reach
		return line
	}

	/** Forgets a line whose session failed or was lost; a newer one stays. */
	async forget(line: UpstreamSession): Promise<void> {
		for (const [key, held] of this.#lines) if (held === line) this.#lines.delete(key)
		line.drop()
		const terms = this.#terms.get(line)
		const session = terms && (await line.session.catch(() => null))
		if (session) await this.#sessions.forget(terms, session)
	}

	/** A client's session with us is over, and so are those that it had with servers. */
	async end(owner: string): Promise<void> {
		const own = [...this.#lines].filter(([key]) => key.endsWith(` ${owner}`))
		for (const [key] of own) this.#lines.delete(key)
		await Promise.all(own.map(([, line]) => line.endSession()))
	}

	prune(isKnown: (server: ServerEntry) => boolean): void {
		const before = this.#context.clock.nowMs() - idleMs
		for (const [key, line] of this.#lines) {
			// The one that all share without anybody's token is kept.
			const isKept = key.endsWith(' ') && !line.server.credentialOwner
			const isIdle = line.isIdle && line.usedAtMs < before && !isKept
			if (isKnown(line.server) && !isIdle) continue
			this.#lines.delete(key)
			void line.close()
		}
	}

	async close(): Promise<void> {
		const lines = [...this.#lines.values()]
		this.#lines.clear()
		await Promise.race([
			Promise.all(lines.map((line) => line.close())),
			new Promise((resolve) => setTimeout(resolve, 1000).unref()),
		])
	}

	/** A modern client has no session; its call gets a line to itself, so that a question outside of any answer is its own. */
	#freeOwner(server: ServerEntry, { caller }: Operation, capabilities: object): string {
		const owner = `${caller.agentId} ${caller.credentialId} ${JSON.stringify(capabilities)}`
		for (let n = 0; ; n += 1) {
			const line = this.#lines.get(keyOf(server, `${owner} ${n}`))
			if (!line || line.operations.size === 0) return `${owner} ${n}`
		}
	}

	#of(server: ServerEntry, owner: string, capabilities: JsonObject, sessionId?: string): UpstreamSession {
		const key = keyOf(server, owner)
		const held = this.#lines.get(key)
		if (held && isSamePlace(held.server, server)) {
			held.server = server
			return held
		}
		if (held) void held.close()
		const open = () => openLegacySession(this.#context, server, { id: this.#nextId(), capabilities })
		const terms = sessionId === undefined ? null : { server, sessionId, capabilities }
		const line: UpstreamSession = new UpstreamSession(this.#context, this.#nextId, server, capabilities, {
			open: () => (terms ? this.#sessions.continueOrOpen(terms, open) : open()),
			onLost: () => void this.forget(line),
		})
		if (terms) this.#terms.set(line, terms)
		this.#lines.set(key, line)
		line.session.catch(() => this.forget(line))
		return line
	}
}

function keyOf(server: ServerEntry, owner: string): string {
	// Sessions of different authorizations are never shared.
	return `${server.id}${server.credentialOwner ? `@${server.credentialOwner}` : ''} ${owner}`
}
