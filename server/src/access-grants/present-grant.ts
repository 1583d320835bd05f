import type { accessGrantOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import type { GrantTerms } from './grant-terms.ts'
import type { GrantRow, listGrantsWithAgents } from './repository.ts'

export type AgentAccess = OutputOf<(typeof accessGrantOperations)['list']>['access'][number]
export type GrantDocument = OutputOf<(typeof accessGrantOperations)['create']>

export function termsOf(row: Pick<GrantRow, 'access_mode' | 'allowed_tools' | 'enabled'>): GrantTerms {
	return {
		access_mode: row.access_mode as GrantTerms['access_mode'],
		allowed_tools: row.allowed_tools === null ? null : (JSON.parse(row.allowed_tools) as string[]),
		enabled: row.enabled === 1,
	}
}

/** A grant on its own. */
export function presentGrant(row: GrantRow): GrantDocument {
	return {
		id: row.id,
		server_id: row.server_id,
		agent_uuid: row.agent_id,
		...termsOf(row),
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

/** A grant as an element of its server's `agent_access`. */
export function presentAgentAccess(
	row: Awaited<ReturnType<typeof listGrantsWithAgents>>[number],
): AgentAccess {
	const status = row.agent_status as AgentAccess['agent']['status']
	return { id: row.id, agent: { uuid: row.agent_id, name: row.agent_name, status }, ...termsOf(row) }
}
