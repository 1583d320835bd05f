import { createHash } from 'node:crypto'
import { appendChange, type ChangeKind, type View } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import {
	deleteProbedErasBefore,
	findProbedEra,
	listProbedEras,
	type ProbedEraRow,
	putProbedEra,
} from '../session-repository.ts'

export interface ProtocolErasContext {
	db: Database
	mutate: Mutate
	clock: Clock
	log: Log
	/** Finds out which revision a server speaks, with the headers of this entry. */
	probe(server: ServerEntry): Promise<string>
}

const lastsMs = 24 * 60 * 60_000
const keptMs = 30 * lastsMs
/** The pause after a failed probe. */
const pauseMs = 60_000

/**
 * Which revision a server speaks for each token owner, because a server may treat owners differently. The revision for the
 * workspace itself is known from its checks. Kept in memory in every process, and in the store.
 */
export class ProtocolEras implements View {
	readonly kinds: readonly ChangeKind[] = ['mcp_era_verdict']
	readonly #context: ProtocolErasContext
	#probed = new Map<string, ProbedEraRow>()
	readonly #doubted = new Set<string>()
	readonly #failedAtMs = new Map<string, number>()
	readonly #probing = new Map<string, Promise<void>>()

	constructor(context: ProtocolErasContext) {
		this.#context = context
	}

	/**
	 * The revision for an entry that carries someone's token. Waits for a probe only if the owner is new; a result older than a
	 * day is used until the next probe has ended.
	 */
	async of(server: ServerEntry): Promise<string | null> {
		const id = idOf(server)
		const known = this.#probed.get(id)
		if (!known || this.#isOld(known)) {
			const probing = this.#probeOnce(id, server)
			if (!known) await probing
		}
		return this.#probed.get(id)?.protocol_version ?? server.protocolVersion
	}

	/** Called when an answer does not fit the server's era: the server is probed again at the next call. */
	doubt(server: ServerEntry): void {
		const id = idOf(server)
		if (this.#probed.has(id)) this.#doubted.add(id)
	}

	async load(): Promise<void> {
		this.#probed = new Map((await listProbedEras(this.#context.db)).map((row) => [row.id, row]))
	}

	async apply(_kind: ChangeKind, id: string): Promise<void> {
		const row = await findProbedEra(this.#context.db, id)
		if (row) this.#probed.set(id, row)
		else this.#probed.delete(id)
		this.#doubted.delete(id)
	}

	/** Deletes old results; called about every minute. */
	sweep(): Promise<void> {
		return deleteProbedErasBefore(this.#context.db, this.#context.clock.deletionMs() - keptMs)
	}

	#isOld({ id, probed_at }: ProbedEraRow): boolean {
		return this.#doubted.has(id) || Math.abs(this.#context.clock.nowMs() - Number(probed_at)) > lastsMs
	}

	#probeOnce(id: string, server: ServerEntry): Promise<void> {
		const failedAtMs = this.#failedAtMs.get(id) ?? Number.NEGATIVE_INFINITY
		if (Math.abs(this.#context.clock.nowMs() - failedAtMs) < pauseMs) return Promise.resolve()
		const running = this.#probing.get(id)
		if (running !== undefined) return running
		const probe = this.#probe(id, server).finally(() => this.#probing.delete(id))
		this.#probing.set(id, probe)
		return probe
	}

	/** A server that does not answer, or refuses the token, reveals nothing about its era. */
	async #probe(id: string, server: ServerEntry): Promise<void> {
		const { clock, log, probe } = this.#context
		try {
			const protocol_version = await probe(server)
			const { workspaceId: workspace_id, id: server_id } = server
			const row = { id, workspace_id, server_id, protocol_version, probed_at: clock.nowMs() }
			this.#probed.set(id, row)
			this.#doubted.delete(id)
			this.#failedAtMs.delete(id)
			// The waiting call does not need the store.
			void this.#keep(row)
		} catch (error) {
			this.#failedAtMs.set(id, clock.nowMs())
			log.warn(
				{ err: error, server_id: server.id },
				'gateway: the revision of a server could not be determined',
			)
		}
	}

	async #keep(row: ProbedEraRow): Promise<void> {
		const { clock, log, mutate } = this.#context
		try {
			await mutate(async (tx) => {
				await putProbedEra(tx, row)
				await appendChange(tx, 'mcp_era_verdict', row.id, clock)
			})
		} catch (error) {
			log.warn(
				{ err: error, server_id: row.server_id },
				'gateway: the revision of a server could not be stored',
			)
		}
	}
}

/** Another address may be another server. With the modern era excluded, the result is kept separately. */
function idOf({ id, url, credentialOwner = '', speaksLegacy }: ServerEntry): string {
	return createHash('sha256')
		.update(JSON.stringify([id, url, credentialOwner, ...(speaksLegacy ? ['legacy'] : [])]))
		.digest('base64url')
}
