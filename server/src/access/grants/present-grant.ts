import type { accessGrantOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { manualSource } from './grant-entry.ts'
import type { GrantRow, GrantWithAgent, GrantWithSource } from './grant-repository.ts'
import type { GrantTerms } from './grant-terms.ts'
import { grantWarnings } from './grant-warnings.ts'

export type AgentAccess = OutputOf<(typeof accessGrantOperations)['list']>['access'][number]
export type GrantDocument = OutputOf<(typeof accessGrantOperations)['create']>
type Source = GrantDocument['source']

export function termsOf(row: GrantRow): GrantTerms {
	return {
		access_mode: row.access_mode as GrantTerms['access_mode'],
		allowed_tools: row.allowed_tools === null ? null : (JSON.parse(row.allowed_tools) as string[]),
		allowed_prompts: partsOf(row, row.allowed_prompts),
		allowed_resources: partsOf(row, row.allowed_resources),
		enabled: row.enabled === 1,
		expires_at: row.expires_at === null ? null : toIso(row.expires_at),
		constraints: JSON.parse(row.constraints ?? '{}') as GrantTerms['constraints'],
		approval: JSON.parse(row.approval ?? '{}') as GrantTerms['approval'],
		approver: (row.approver ?? 'workspace') as GrantTerms['approver'],
		approval_wait_ms: row.approval_wait_ms,
		denied_hints: JSON.parse(row.denied_hints ?? '[]') as GrantTerms['denied_hints'],
		call_limits: JSON.parse(row.call_limits ?? '{}') as GrantTerms['call_limits'],
	}
}

/** The stored form of the terms. */
export function columnsOf(terms: GrantTerms) {
	const { access_mode, allowed_tools, enabled, expires_at, approver, approval_wait_ms } = terms
	return {
		access_mode,
		allowed_tools: allowed_tools && JSON.stringify(allowed_tools),
		allowed_prompts: listOrNull(terms.allowed_prompts),
		allowed_resources: listOrNull(terms.allowed_resources),
		enabled: enabled ? 1 : 0,
		expires_at: expires_at === null ? null : Date.parse(expires_at),
		constraints: textOrNull(terms.constraints),
		approval: textOrNull(terms.approval),
		approver: approver === 'workspace' ? null : approver,
		approval_wait_ms,
		denied_hints: listOrNull(terms.denied_hints),
		call_limits: textOrNull(terms.call_limits),
	}
}

/** A list that was never given is empty, unless the mode is `all`. */
function partsOf({ access_mode }: GrantRow, stored: string | null): string[] | null {
	if (stored !== null) return JSON.parse(stored) as string[]
	return access_mode === 'all' ? null : []
}

function listOrNull(list: readonly string[] | null): string | null {
	return list && list.length > 0 ? JSON.stringify(list) : null
}

function textOrNull(object: object): string | null {
	return Object.keys(object).length === 0 ? null : JSON.stringify(object)
}

/** The source of a grant. */
export function presentSource(source: string, name: string | null | undefined): Source {
	return source === manualSource ? { kind: 'manual' } : { kind: 'toolset', id: source, name: name ?? '' }
}

/** A grant by itself. */
export function presentGrant(
	row: GrantRow & Partial<Pick<GrantWithSource, 'source_name'>>,
	server: ServerEntry | undefined,
): GrantDocument {
	return {
		id: row.id,
		server_id: row.server_id,
		agent_uuid: row.agent_id,
		...termsOf(row),
		source: presentSource(row.source, row.source_name),
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
		warnings: grantWarnings(server, termsOf(row)),
	}
}

/** A grant as an element of its server's `agent_access`. */
export function presentAgentAccess(row: GrantWithAgent): AgentAccess {
	const status = row.agent_status as AgentAccess['agent']['status']
	return {
		id: row.id,
		agent: { uuid: row.agent_id, name: row.agent_name, status },
		...termsOf(row),
		source: presentSource(row.source, row.source_name),
	}
}
