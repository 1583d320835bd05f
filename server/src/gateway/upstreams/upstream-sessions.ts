import { createHash } from 'node:crypto'
import type { JsonObject, LegacySession } from '../../mcp-client/index.ts'
import type { SealContext, Sealer } from '../../platform/crypto/seal.ts'
import type { Database } from '../../platform/database/index.ts'
import type { Log } from '../../platform/log.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { deleteUpstreamSession, findUpstreamSession, putUpstreamSession } from '../session-repository.ts'

/** Whose session it is: a legacy client's, with a server that may ask it for `capabilities`. */
export interface SessionTerms {
	server: ServerEntry
	/** The client's own session with us. */
	sessionId: string
	capabilities: JsonObject
}

/** A session of a client with a server, and how it is kept. */
export interface HeldSession extends LegacySession {
	/** The sealed text; absent where it is not kept. */
	kept?: string
	/** It was opened before, perhaps with another token. */
	isContinued?: true
}

/**
 * The sessions that legacy clients have with legacy servers, in the control store, so that another program goes on with
 * them. A store that fails costs a handshake, never a call.
 */
export class UpstreamSessions {
	readonly #db: Database
	readonly #sealer: Sealer
	readonly #log: Log

	constructor(db: Database, sealer: Sealer, log: Log) {
		this.#db = db
		this.#sealer = sealer
		this.#log = log
	}

	/** The session that the client has already, or the one that `open` gives, which is kept. */
	async continueOrOpen(terms: SessionTerms, open: () => Promise<LegacySession>): Promise<HeldSession> {
		const found = await this.#orNull(this.#find(terms))
		if (found) return { ...found, isContinued: true }
		const session = await open()
		// Without an id the server keeps nothing either.
		if (!session.headers['mcp-session-id']) return session
		return (await this.#orNull(this.#keep(terms, session))) ?? session
	}

	/** Forgets a session that the server has lost; a newer one stays. */
	async forget(terms: SessionTerms, { kept }: HeldSession): Promise<void> {
		const { workspaceId } = terms.server
		if (kept) await this.#orNull(deleteUpstreamSession(this.#db, workspaceId, idOf(terms), kept))
	}

	async #find(terms: SessionTerms): Promise<HeldSession | null> {
		const { workspaceId } = terms.server
		const row = await findUpstreamSession(this.#db, workspaceId, idOf(terms))
		if (!row) return null
		const kept = row.sealed_session
		const session = JSON.parse(this.#sealer.open(kept, contextOf(workspaceId, row.id))) as LegacySession
		return { ...session, kept }
	}

	async #keep(terms: SessionTerms, { headers, capabilities }: LegacySession): Promise<HeldSession> {
		const { id: server_id, workspaceId } = terms.server
		const id = idOf(terms)
		const kept = this.#sealer.seal(JSON.stringify({ headers, capabilities }), contextOf(workspaceId, id))
		const row = { id, workspace_id: workspaceId, session_id: terms.sessionId, server_id }
		await putUpstreamSession(this.#db, { ...row, sealed_session: kept })
		return { headers, capabilities, kept }
	}

	async #orNull<T>(work: Promise<T>): Promise<T | null> {
		try {
			return await work
		} catch (error) {
			this.#log.warn({ err: error }, 'gateway: the session of a client with its server is not kept')
			return null
		}
	}
}

/** At another address, with other rights or with another one's token it is another session. */
function idOf({ server, sessionId, capabilities }: SessionTerms): string {
	const { id, url, credentialOwner = '', headers } = server
	// A token is renewed from time to time; its owner stays.
	const own = credentialOwner ? [] : [...headers]
	const facts = JSON.stringify([sessionId, id, url, credentialOwner, own, capabilities])
	return createHash('sha256').update(facts).digest('base64url')
}

function contextOf(workspaceId: string, id: string): SealContext {
	return { workspaceId, kind: 'mcp_upstream_session', origin: '', id }
}
