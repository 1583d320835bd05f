import { createHash } from 'node:crypto'
import type { JsonObject, LegacySession } from '../../mcp-client/index.ts'
import type { SealContext, Sealer } from '../../platform/crypto/seal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import {
	deleteUpstreamSession,
	findUpstreamSession,
	putUpstreamSession,
	replaceUpstreamSession,
} from '../session-repository.ts'

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
	/** The last event of its stream that was received before. */
	lastEventId?: string
}

/** What is stored of a session. */
type StoredSession = Pick<HeldSession, 'headers' | 'capabilities' | 'lastEventId'>

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
	async forget(terms: SessionTerms, held: HeldSession): Promise<void> {
		if (!held.kept) return
		await this.#orNull(
			this.#stored(terms).then(async (stored) => {
				if (stored && isSame(stored.session, held))
					await deleteUpstreamSession(this.#db, terms.server.workspaceId, idOf(terms), stored.sealed)
			}),
		)
	}

	/** Stores how far the stream of a session was read, for the process that opens it next. */
	async keepPlace(terms: SessionTerms, held: HeldSession, lastEventId: string): Promise<void> {
		if (!held.kept) return
		await this.#orNull(
			this.#stored(terms).then(async (stored) => {
				if (stored && isSame(stored.session, held))
					await this.#replace(terms, stored.sealed, { ...stored.session, lastEventId })
			}),
		)
	}

	async #find(terms: SessionTerms): Promise<HeldSession | null> {
		const stored = await this.#stored(terms)
		if (!stored) return null
		const { lastEventId, ...session } = stored.session
		if (lastEventId === undefined) return { ...session, kept: stored.sealed }
		// The place is for one process: another one that opens the stream later would get the same events again.
		const kept = await this.#replace(terms, stored.sealed, session)
		return kept === null ? this.#find(terms) : { ...session, kept, lastEventId }
	}

	async #stored(terms: SessionTerms): Promise<{ session: StoredSession; sealed: string } | null> {
		const { workspaceId } = terms.server
		const row = await findUpstreamSession(this.#db, workspaceId, idOf(terms))
		if (!row) return null
		const sealed = row.sealed_session
		const text = this.#sealer.open(sealed, contextOf(workspaceId, row.id))
		return { session: JSON.parse(text) as StoredSession, sealed }
	}

	/** The new sealed text; null if the stored one is no longer `before`. */
	async #replace(terms: SessionTerms, before: string, session: StoredSession): Promise<string | null> {
		const { workspaceId: workspace_id } = terms.server
		const id = idOf(terms)
		const sealed_session = this.#sealer.seal(JSON.stringify(session), contextOf(workspace_id, id))
		const isReplaced = await replaceUpstreamSession(this.#db, { id, workspace_id, sealed_session }, before)
		return isReplaced ? sealed_session : null
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

function isSame(a: StoredSession, b: StoredSession): boolean {
	return a.headers['mcp-session-id'] === b.headers['mcp-session-id']
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
