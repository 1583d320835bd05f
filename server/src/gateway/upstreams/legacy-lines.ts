import type { ServerEntry } from '../../servers/index.ts'
import type { ClientProgram, Operation } from '../operation.ts'
import { askableCapabilities } from '../questions.ts'
import { LegacyLine } from './legacy-line.ts'
import type { SendContext } from './send.ts'
import { isSameTarget } from './target.ts'
import type { UpstreamCall } from './upstream.ts'

const idleMs = 10 * 60_000

/** Our sessions with legacy servers: one shared one a server, and one for each client that can be asked back. */
export class LegacyLines {
	readonly #context: SendContext
	readonly #nextId: () => number
	readonly #lines = new Map<string, LegacyLine>()

	constructor(context: SendContext, nextId: () => number) {
		this.#context = context
		this.#nextId = nextId
	}

	/** The line that belongs to no client. */
	shared(server: ServerEntry): LegacyLine {
		return this.#of(server, '', {})
	}

	/** The line for a call; callers that come at once share one handshake. */
	for({ server, operation }: UpstreamCall): LegacyLine {
		const capabilities = askableCapabilities(operation.client.capabilities)
		if (Object.keys(capabilities).length === 0) return this.shared(server)
		// A server knows its tasks by the session that they began in.
		const owner = operation.client.sessionLabel || operation.task?.id
		return this.#of(server, owner || this.#freeOwner(server, operation, capabilities), capabilities)
	}

	/** The line on which a client's own calls go; a modern client has none of its own between calls. */
	ofClient(server: ServerEntry, client: ClientProgram): LegacyLine {
		const capabilities = client.sessionLabel ? askableCapabilities(client.capabilities) : {}
		const isShared = Object.keys(capabilities).length === 0
		return this.#of(server, isShared ? '' : client.sessionLabel, capabilities)
	}

	/** Forgets a line whose session failed or was lost; a newer one stays. */
	forget(line: LegacyLine): void {
		for (const [key, held] of this.#lines) if (held === line) this.#lines.delete(key)
		line.drop()
	}

	prune(isKnown: (server: ServerEntry) => boolean): void {
		const before = this.#context.clock.nowMs() - idleMs
		for (const [key, line] of this.#lines) {
			const isIdle = line.isIdle && line.usedAtMs < before && !key.endsWith(' ')
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

	#of(server: ServerEntry, owner: string, capabilities: Record<string, unknown>): LegacyLine {
		const key = keyOf(server, owner)
		const held = this.#lines.get(key)
		if (held && isSameTarget(held.server, server)) {
			held.server = server
			return held
		}
		if (held) void held.close()
		const line: LegacyLine = new LegacyLine(this.#context, this.#nextId, server, capabilities, () =>
			this.forget(line),
		)
		this.#lines.set(key, line)
		line.session.catch(() => this.forget(line))
		return line
	}
}

function keyOf(server: ServerEntry, owner: string): string {
	// Sessions of different authorizations are never shared.
	return `${server.id}${server.credentialOwner ? `@${server.credentialOwner}` : ''} ${owner}`
}
