import type { AccessMode, Approver } from '@signalbox/contract'
import { type Constraint, constraintOf } from './constraints/constraint.ts'
import type { CallLimit, GrantEntry } from './grant-entry.ts'
import type { GrantRow } from './repository.ts'

/** A row of the store as the judge reads it. `share` gives equal lists of tools one set, as derived grants have them. */
export function toGrantEntry(row: GrantRow, share = toSet): GrantEntry {
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		serverId: row.server_id,
		agentId: row.agent_id,
		source: row.source,
		accessMode: row.access_mode as AccessMode,
		allowedTools: row.allowed_tools === null ? null : share(row.allowed_tools),
		enabled: row.enabled === 1,
		expiresAtMs: row.expires_at,
		constraints: row.constraints === null ? null : toConstraints(row.constraints),
		asks: row.approval === null ? null : new Set(Object.keys(JSON.parse(row.approval))),
		approver: (row.approver ?? 'workspace') as Approver,
		approvalWaitMs: row.approval_wait_ms,
		callLimits: row.call_limits === null ? null : toCallLimits(row.call_limits),
	}
}

/** Remembers sets by their text for as long as it lives: for one load, not for ever. */
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

function toConstraints(text: string): ReadonlyMap<string, Constraint> {
	const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
	return new Map(entries.map(([tool, schema]) => [tool, constraintOf(schema)]))
}

type StoredLimits = Record<string, { calls_per_minute: number | null; concurrency: number | null }>

function toCallLimits(text: string): ReadonlyMap<string, CallLimit> {
	const entries = Object.entries(JSON.parse(text) as StoredLimits)
	return new Map(
		entries.map(([tool, { calls_per_minute: callsPerMinute, concurrency }]) => [
			tool,
			{ callsPerMinute, concurrency },
		]),
	)
}
