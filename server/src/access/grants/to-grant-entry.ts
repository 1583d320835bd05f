import type { AccessMode, Approver, DeniableHint } from '@signalbox/contract'
import { readCallLimits } from '../../platform/limits/call-limit.ts'
import { type Constraint, constraintOf } from './constraints/constraint.ts'
import type { GrantEntry } from './grant-entry.ts'
import type { GrantRow } from './repository.ts'
import { type UriPattern, uriPattern } from './uri-pattern.ts'

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

function toPatterns(text: string): readonly UriPattern[] {
	return (JSON.parse(text) as string[]).map(uriPattern)
}

function toConstraints(text: string): ReadonlyMap<string, Constraint> {
	const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
	return new Map(entries.map(([tool, schema]) => [tool, constraintOf(schema)]))
}
