import { createHash } from 'node:crypto'
import type { JsonObject, LegacySession } from '../../mcp-client/index.ts'
import type { SealContext, Sealer } from '../../platform/crypto/seal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { deleteUpstreamSession, findUpstreamSession, putUpstreamSession } from '../session-repository.ts'

/** Identifies a session: of a legacy client, with a server that may ask it for `capabilities`. */
export interface SessionTerms {
	server: ServerEntry
	/** The client's own session with the gateway. */
	sessionId: string
	capabilities: JsonObject
}

/** A session of a client with a server, and how it is stored. */
export interface HeldSession extends LegacySession {
	/** The sealed text; absent if it is not stored. */
	kept?: string
	/** Whether it was opened earlier, perhaps with another token. */
	isContinued?: true
}

/**
 * The sessions of legacy clients with legacy servers, in the control store, so that other processes can continue them. A failure
 * of the store costs a handshake, never a call.
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

	/** The client's existing session, or the new one from `open`, which is stored. */
	async continueOrOpen(terms: SessionTerms, open: () => Promise<LegacySession>): Promise<HeldSession> {
		const found = await this.#orNull(this.#find(terms))
		if (found) return { ...found, isContinued: true }
		const session = await open()
		// A session without an id has no state at the server.
		if (!session.headers['mcp-session-id']) return session
		return (await this.#orNull(this.#keep(terms, session))) ?? session
	}

	/** Deletes a session that the server has lost, unless it has been replaced meanwhile. */
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
			this.#log.warn(
				{ err: error },
				'gateway: the session of a client with a server could not be stored or read',
			)
			return null
		}
	}
}

/** Another address, other capabilities or another token owner need another session. */
function idOf({ server, sessionId, capabilities }: SessionTerms): string {
	const { id, url, credentialOwner = '', headers } = server
	// Tokens are renewed from time to time; the owner stays the same.
	const own = credentialOwner ? [] : [...headers]
	const facts = JSON.stringify([sessionId, id, url, credentialOwner, own, capabilities])
	return createHash('sha256').update(facts).digest('base64url')
}

function contextOf(workspaceId: string, id: string): SealContext {
	return { workspaceId, kind: 'mcp_upstream_session', origin: '', id }
}
