import { eraOf, legacyVersions, RpcFailure } from '../../mcp-client/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import type { ClientProgram } from '../operation.ts'

const newestLegacy = legacyVersions[0] as string
/** A server that refused the legacy handshake is tried again after an hour; one that failed, after a minute. */
const refusedMs = 60 * 60_000
const failedMs = 60_000
const refusals: ReadonlySet<string> = new Set(['upstream_handshake_failed', 'upstream_invalid_answer'])
const failures: ReadonlySet<string> = new Set(['timeout', 'upstream_http_error'])

/** Maps a modern server to its entry for legacy sessions. It is always the same object, so that sessions last. */
const olderEntries = new WeakMap<ServerEntry, ServerEntry>()
const older = new WeakSet<ServerEntry>()

/** Whether an entry is that of a modern server used in the legacy era. */
export function isOlderEntry(server: ServerEntry): boolean {
	return older.has(server)
}

/**
 * Uses a server of both eras in the era of each client, because input requests during a call exist in the legacy era only.
 * Whether a modern server also supports the legacy era is found out by the first handshake.
 */
export class ClientEras {
	readonly #clock: Clock
	/** Opens the client's session with the server, or rejects. */
	readonly #open: (server: ServerEntry, client: ClientProgram) => Promise<unknown>
	/** Until when a server is used in the modern era only. */
	readonly #modernUntilMs = new Map<string, number>()

	constructor(clock: Clock, open: (server: ServerEntry, client: ClientProgram) => Promise<unknown>) {
		this.#clock = clock
		this.#open = open
	}

	/** The server's entry for this client. Waits for the handshake of the client's session if one is needed. */
	of(server: ServerEntry, client: ClientProgram): ServerEntry | Promise<ServerEntry> {
		if (client.era === 'modern' || eraOf(server.protocolVersion ?? '') === 'legacy') return server
		// The process of a hosted program that all clients share uses one era.
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

/** There may be another server for another address, token owner or release. */
function keyOf({ id, url, credentialOwner = '', introduction }: ServerEntry): string {
	return JSON.stringify([id, url, credentialOwner, introduction?.serverInfo.version ?? null])
}
