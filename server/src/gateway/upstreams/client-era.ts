import { eraOf, legacyVersions, RpcFailure } from '../../mcp-client/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import type { ClientProgram } from '../operation.ts'

const newestLegacy = legacyVersions[0] as string
/** A server that refused the older handshake is asked again after an hour, one that only failed then after a minute. */
const refusedMs = 60 * 60_000
const failedMs = 60_000
const refusals: ReadonlySet<string> = new Set(['upstream_handshake_failed', 'upstream_invalid_answer'])
const failures: ReadonlySet<string> = new Set(['timeout', 'upstream_http_error'])

/** A server of the modern era with which a session of the legacy one is opened; the same entry each time, so that it lasts. */
const olderEntries = new WeakMap<ServerEntry, ServerEntry>()
const older = new WeakSet<ServerEntry>()

/** Whether this entry is of a server of the modern era that is spoken to in the legacy one. */
export function isOlderEntry(server: ServerEntry): boolean {
	return older.has(server)
}

/**
 * A server that knows both eras speaks that of each client, since what it asks in the midst of a call exists in the legacy era
 * only. Whether a server of the modern era knows the legacy one too, its answer to the first handshake shows.
 */
export class ClientEras {
	readonly #clock: Clock
	/** Opens the client's session with the server, or rejects. */
	readonly #open: (server: ServerEntry, client: ClientProgram) => Promise<unknown>
	/** Until when a server is spoken to in the modern era only. */
	readonly #modernUntilMs = new Map<string, number>()

	constructor(clock: Clock, open: (server: ServerEntry, client: ClientProgram) => Promise<unknown>) {
		this.#clock = clock
		this.#open = open
	}

	/** The server as this client is spoken to there; waits for the handshake of the client's session, if one is to be made. */
	of(server: ServerEntry, client: ClientProgram): ServerEntry | Promise<ServerEntry> {
		if (client.era === 'modern' || eraOf(server.protocolVersion ?? '') === 'legacy') return server
		// The process that all clients of a program share speaks one era.
		const { capabilities } = client
		if (server.url.startsWith('program:') && Object.keys(capabilities).length === 0) return server
		const untilMs = this.#modernUntilMs.get(keyOf(server))
		return untilMs !== undefined && this.#clock.nowMs() < untilMs ? server : this.#try(server, client)
	}

	prune(): void {
		const nowMs = this.#clock.nowMs()
		for (const [key, untilMs] of this.#modernUntilMs) if (untilMs <= nowMs) this.#modernUntilMs.delete(key)
	}

	async #try(server: ServerEntry, client: ClientProgram): Promise<ServerEntry> {
		const entry = olderEntryOf(server)
		try {
			await this.#open(entry, client)
			return entry
		} catch (error) {
			const kind = error instanceof RpcFailure ? error.errorType : ''
			const lastsMs = refusals.has(kind) ? refusedMs : failures.has(kind) ? failedMs : null
			if (lastsMs === null) throw error
			this.#modernUntilMs.set(keyOf(server), this.#clock.nowMs() + lastsMs)
			return server
		}
	}
}

function olderEntryOf(server: ServerEntry): ServerEntry {
	const known = olderEntries.get(server)
	if (known) return known
	const made = { ...server, protocolVersion: newestLegacy }
	olderEntries.set(server, made)
	older.add(made)
	return made
}

/** Another address or another owner of the token may find another server there, and so may another release of it. */
function keyOf({ id, url, credentialOwner = '', introduction }: ServerEntry): string {
	return JSON.stringify([id, url, credentialOwner, introduction?.serverInfo.version ?? null])
}
