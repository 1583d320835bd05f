import type { ServerEntry } from '../../servers/index.ts'
import { isObject, type JsonObject } from '../json-rpc/message.ts'
import { Exchange } from './exchange.ts'
import { shakeHands } from './handshake.ts'
import { type SendContext, sendAndForget } from './send.ts'
import { isSameTarget, targetOf } from './target.ts'
import type { Description } from './upstream.ts'
import { upstreamFailure } from './upstream-failure.ts'

/** A handshake with a legacy server, shared by all callers: one authorization context, one session. */
export interface LegacySession {
	description: Description
	/** Go with every request of the session. */
	headers: Record<string, string>
}

interface Held {
	server: ServerEntry
	session: Promise<LegacySession>
}

const asked = '2025-11-25'

/** The sessions that we hold with legacy servers, one a server. */
export class LegacySessions {
	readonly #context: SendContext
	readonly #nextId: () => number
	readonly #held = new Map<string, Held>()

	constructor(context: SendContext, nextId: () => number) {
		this.#context = context
		this.#nextId = nextId
	}

	/** The session of a server, opened when there is none; callers that come at once share one handshake. */
	of(server: ServerEntry): Promise<LegacySession> {
		const held = this.#held.get(server.id)
		if (held && isSameTarget(held.server, server)) {
			held.server = server
			return held.session
		}
		if (held) void this.#end(held)
		const session = initialize(this.#context, server, this.#nextId())
		this.#held.set(server.id, { server, session })
		session.catch(() => this.forget(server.id, session))
		return session
	}

	/** Drops a session that failed or that the server lost; a newer one stays. */
	forget(serverId: string, session: Promise<LegacySession>): void {
		if (this.#held.get(serverId)?.session === session) this.#held.delete(serverId)
	}

	prune(isKnown: (server: ServerEntry) => boolean): void {
		for (const [id, held] of this.#held) {
			if (isKnown(held.server)) continue
			this.#held.delete(id)
			void this.#end(held)
		}
	}

	async close(): Promise<void> {
		const held = [...this.#held.values()]
		this.#held.clear()
		await Promise.race([
			Promise.all(held.map((one) => this.#end(one))),
			new Promise((resolve) => setTimeout(resolve, 1000).unref()),
		])
	}

	/** Tells the server that the session is over; it may be gone already. */
	async #end({ server, session }: Held): Promise<void> {
		const headers = await session.then((open) => open.headers).catch(() => null)
		if (!headers?.['mcp-session-id']) return
		const { origin, path, headers: own } = targetOf(server)
		const request = {
			origin,
			path,
			method: 'DELETE' as const,
			headers: { ...own, ...headers },
			body: null,
			idleMs: 1000,
			messageBytes: 65_536,
		}
		await new Exchange(this.#context.dispatcher, request, () => {}).done.catch(() => {})
	}
}

async function initialize(context: SendContext, server: ServerEntry, id: number): Promise<LegacySession> {
	const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'signalbox', version: '1' } }
	const { result, headers } = await shakeHands(context, {
		server,
		id,
		method: 'initialize',
		params,
		headers: {},
	})
	const sessionId = headers['mcp-session-id']
	const sessionHeaders = {
		'mcp-protocol-version': versionIn(server, result),
		...(typeof sessionId === 'string' && { 'mcp-session-id': sessionId }),
	}
	await sendAndForget(context, server, sessionHeaders, {
		jsonrpc: '2.0',
		method: 'notifications/initialized',
	})
	return { description: describe(result), headers: sessionHeaders }
}

function versionIn(server: ServerEntry, { protocolVersion }: JsonObject): string {
	if (typeof protocolVersion === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(protocolVersion))
		return protocolVersion
	throw upstreamFailure(server, 'upstream_handshake_failed', 'named no protocol version.')
}

function describe(result: JsonObject): Description {
	return {
		capabilities: isObject(result.capabilities) ? result.capabilities : {},
		serverInfo: isObject(result.serverInfo) ? result.serverInfo : {},
		instructions: typeof result.instructions === 'string' ? result.instructions : '',
	}
}
