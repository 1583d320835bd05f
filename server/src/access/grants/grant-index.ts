import { type GrantEntry, manualSource } from './grant-entry.ts'

const none: readonly GrantEntry[] = []

/** Grants by id, by agent and server, and by toolset. */
export class GrantIndex {
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
