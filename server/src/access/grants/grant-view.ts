import type { ChangeKind, View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/index.ts'
import { type GrantEntry, type GrantView, manualSource } from './grant-entry.ts'
import { type GrantRow, listGrantsForView, listGrantsForViewBy } from './repository.ts'
import { createSharing, toGrantEntry } from './to-grant-entry.ts'

const none: readonly GrantEntry[] = []

/** Grants by id, by agent and server, and by toolset. */
class GrantIndex {
	readonly #byId = new Map<string, GrantEntry>()
	/** Agent → server → grants; the lists are replaced, never changed, so that who reads one may keep it. */
	readonly #byAgent = new Map<string, Map<string, readonly GrantEntry[]>>()
	readonly #byToolset = new Map<string, Set<string>>()
	/** Those that end by themselves. */
	readonly #expiring = new Map<string, number>()

	get(id: string): GrantEntry | undefined {
		return this.#byId.get(id)
	}

	of(agentId: string, serverId: string): readonly GrantEntry[] {
		return this.#byAgent.get(agentId)?.get(serverId) ?? none
	}

	serversOf(agentId: string): readonly string[] {
		return [...(this.#byAgent.get(agentId)?.keys() ?? [])]
	}

	ofAgent(agentId: string): readonly GrantEntry[] {
		return [...(this.#byAgent.get(agentId)?.values() ?? [])].flat()
	}

	ofSource(toolsetId: string): readonly GrantEntry[] {
		const ids = this.#byToolset.get(toolsetId) ?? []
		return [...ids].map((id) => this.#byId.get(id) as GrantEntry)
	}

	anyExpired(sinceMs: number, nowMs: number): boolean {
		for (const atMs of this.#expiring.values()) if (atMs > sinceMs && atMs <= nowMs) return true
		return false
	}

	put(entry: GrantEntry): void {
		this.remove(entry.id)
		this.#byId.set(entry.id, entry)
		const servers = this.#byAgent.get(entry.agentId) ?? new Map<string, readonly GrantEntry[]>()
		this.#byAgent.set(entry.agentId, servers)
		servers.set(entry.serverId, [...(servers.get(entry.serverId) ?? none), entry])
		if (entry.expiresAtMs !== null) this.#expiring.set(entry.id, entry.expiresAtMs)
		if (entry.source === manualSource) return
		const derived = this.#byToolset.get(entry.source) ?? new Set()
		this.#byToolset.set(entry.source, derived.add(entry.id))
	}

	remove(id: string): void {
		const entry = this.#byId.get(id)
		if (!entry) return
		this.#byId.delete(id)
		this.#expiring.delete(id)
		this.#removeFromAgent(entry)
		const derived = this.#byToolset.get(entry.source)
		derived?.delete(id)
		if (derived?.size === 0) this.#byToolset.delete(entry.source)
	}

	#removeFromAgent({ id, agentId, serverId }: GrantEntry): void {
		const servers = this.#byAgent.get(agentId)
		const left = this.of(agentId, serverId).filter((grant) => grant.id !== id)
		if (left.length > 0) servers?.set(serverId, left)
		else servers?.delete(serverId)
		if (servers?.size === 0) this.#byAgent.delete(agentId)
	}
}

/**
 * All grants in memory, kept equal to the store by the change feed. One change of a toolset or of an agent stands for
 * all grants derived from the one or held by the other.
 */
export function createGrantView(db: Database): GrantView & View {
	let index = new GrantIndex()
	const replace = (before: readonly GrantEntry[], rows: readonly GrantRow[]) => {
		const share = createSharing()
		const now = new Set(rows.map(({ id }) => id))
		for (const { id } of before) if (!now.has(id)) index.remove(id)
		for (const row of rows) index.put(toGrantEntry(row, share))
	}
	return {
		kinds: ['grant', 'toolset', 'agent'],
		of: (agentId, serverId) => index.of(agentId, serverId),
		serversOf: (agentId) => index.serversOf(agentId),
		ofToolset: (toolsetId) => index.ofSource(toolsetId),
		anyExpired: (sinceMs, nowMs) => index.anyExpired(sinceMs, nowMs),
		load: async () => {
			const fresh = new GrantIndex()
			const share = createSharing()
			for (const row of await listGrantsForView(db)) fresh.put(toGrantEntry(row, share))
			index = fresh
		},
		apply: async (kind, id) => {
			const rows = await listGrantsForViewBy(db, columnOf[kind as keyof typeof columnOf], id)
			replace(held(index, kind, id), rows)
		},
	}
}

const columnOf = { grant: 'id', toolset: 'source', agent: 'agent_id' } as const satisfies Partial<
	Record<ChangeKind, keyof GrantRow>
>

function held(index: GrantIndex, kind: ChangeKind, id: string): readonly GrantEntry[] {
	if (kind === 'agent') return index.ofAgent(id)
	if (kind === 'toolset') return id === manualSource ? [] : index.ofSource(id)
	const entry = index.get(id)
	return entry ? [entry] : []
}
