import { notFound, Problem } from '../../../platform/errors.ts'
import { type GrantEntry, manualSource } from '../grant-entry.ts'
import { changedTerms, type GrantTerms, newTerms } from '../grant-terms.ts'
import { columnsOf, termsOf } from '../present-grant.ts'
import type { GrantRow } from '../repository.ts'
import type { GrantChange } from './proposed-change.ts'

/** The grant made by hand after a change; null when it is taken away. Throws what the API answers to such a change. */
export function proposeRow(
	{ manual, derived }: { manual: GrantRow | null; derived: readonly GrantEntry[] },
	change: GrantChange,
	workspaceId: string,
): GrantRow | null {
	if (change.op === 'create') {
		if (manual) throw new Problem('conflict', 'The agent has access to this server already.')
		return toRow(change, newTerms(change), workspaceId)
	}
	if (!manual && derived.length > 0)
		throw new Problem('derived_grant', 'The agent has this access by a toolset.')
	if (!manual) throw notFound('access grant')
	if (change.op === 'delete') return null
	return { ...manual, ...columnsOf(changedTerms(termsOf(manual), change)) }
}

function toRow({ agent_uuid, server_id }: GrantChange, terms: GrantTerms, workspaceId: string): GrantRow {
	const nowhere = { id: '', created_at: 0, updated_at: 0 }
	return {
		...nowhere,
		workspace_id: workspaceId,
		server_id,
		agent_id: agent_uuid,
		source: manualSource,
		...columnsOf(terms),
	}
}
