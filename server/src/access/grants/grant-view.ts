import type { AccessMode, Approver, DeniableHint } from '@signalbox/contract'
import type { ChangeKind, View } from '../../platform/changes.ts'
import type { Database } from '../../platform/database/database.ts'
import { readCallLimits } from '../../platform/limits/call-limit.ts'
import { type Constraint, constraintOf } from './constraints/constraint.ts'
import { type GrantEntry, type GrantView, manualSource } from './grant-entry.ts'
import { type GrantRow, listGrantsForView, listGrantsForViewBy } from './grant-repository.ts'
import { type UriPattern, uriPattern } from './uri-pattern.ts'

/**
 * Converts a row to the form used for access decisions. `share` maps equal lists of tools, which derived grants have, to one set.
 */
export function toGrantEntry(row: GrantRow, share = toSet): GrantEntry {
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		serverId: row.server_id,
		agentId: row.agent_id,
		source: row.source,
		accessMode: row.access_mode as AccessMode,
		allowedTools: row.allowed_tools === null ? null : share(row.allowed_tools),
		allowedPrompts: row.allowed_prompts === null ? null : toSet(row.allowed_prompts),
		allowedResources: row.allowed_resources === null ? null : toPatterns(row.allowed_resources),
		enabled: row.enabled === 1,
		expiresAtMs: row.expires_at,
		constraints: row.constraints === null ? null : toConstraints(row.constraints),
		asks: row.approval === null ? null : new Set(Object.keys(JSON.parse(row.approval))),
		approver: (row.approver ?? 'workspace') as Approver,
		approvalWaitMs: row.approval_wait_ms,
		deniedHints: row.denied_hints === null ? null : new Set(JSON.parse(row.denied_hints) as DeniableHint[]),
		callLimits: row.call_limits === null ? null : readCallLimits(row.call_limits),
	}
}

/** Interns sets by their text. Used for one load, so that nothing is kept forever. */
export function createSharing(): (text: string) => ReadonlySet<string> {
	const known = new Map<string, ReadonlySet<string>>()
	return (text) => {
		const found = known.get(text) ?? toSet(text)
		known.set(text, found)
		return found
	}
}

function toSet(text: string): ReadonlySet<string> {
	return new Set(JSON.parse(text) as string[])
}

function toPatterns(text: string): readonly UriPattern[] {
	return (JSON.parse(text) as string[]).map(uriPattern)
}

function toConstraints(text: string): ReadonlyMap<string, Constraint> {
	const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
	return new Map(entries.map(([tool, schema]) => [tool, constraintOf(schema)]))
}

const none: readonly GrantEntry[] = []

/** Grants by id, by agent and server, and by toolset. */
class GrantIndex {
	readonly #byId = new Map<string, GrantEntry>()
	/** Agent → server → grants. The lists are replaced, never modified, so readers may keep them. */
	readonly #byAgent = new Map<string, Map<string, readonly GrantEntry[]>>()
	readonly #byToolset = new Map<string, Set<string>>()
	/** Grants with an expiry, in milliseconds since 1970. */
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
 * All grants in memory, kept in sync with the store by the change feed. One change of a toolset or of an agent stands for all
 * grants derived from it or held by it.
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
