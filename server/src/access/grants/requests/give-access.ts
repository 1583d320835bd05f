import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import { Problem } from '../../../platform/errors.ts'
import type { RequestContext } from '../../../platform/http/index.ts'
import { newId } from '../../../platform/ids.ts'
import { type GrantContext, recordChange } from '../context.ts'
import { manualSource } from '../grant-entry.ts'
import { changedTerms, type GrantTerms, newTerms } from '../grant-terms.ts'
import { columnsOf, termsOf } from '../present-grant.ts'
import { findManualGrant, type GrantRow, insertGrants, updateGrant } from '../repository.ts'
import type { NamedRequest } from './repository.ts'

/** Makes the grant that was asked for, or widens the one that was made by hand; its limits stay. Throws `conflict` for one that is not in force. */
export async function giveAccess(
	tx: DatabaseTransaction,
	grants: GrantContext,
	request: RequestContext,
	asked: NamedRequest,
): Promise<void> {
	const { workspace_id, server_id, agent_id } = asked
	const before = await findManualGrant(tx, workspace_id, server_id, agent_id)
	const nowMs = grants.clock.nowMs()
	if (before) requireInForce(termsOf(before), nowMs)
	const terms = before ? widened(termsOf(before), asked.tool) : termsFor(asked.tool)
	const id = before?.id ?? newId(nowMs)
	const values = { ...columnsOf(terms), updated_at: nowMs }
	if (before) await updateGrant(tx, workspace_id, id, values)
	else {
		const ids = { id, workspace_id, server_id, agent_id, source: manualSource }
		const row: GrantRow = { ...ids, ...values, created_at: nowMs }
		await insertGrants(tx, [row])
	}
	const agent = { id: agent_id, name: asked.agent_name }
	const server = { id: server_id, name: asked.server_name }
	const because = { access_request: asked.id }
	const action = before ? 'access.update' : 'access.create'
	await recordChange(tx, grants, request, action, id, { agent, server, ...terms, ...because })
	await appendChange(tx, 'grant', id, grants.clock)
}

function termsFor(tool: string | null): GrantTerms {
	return newTerms(tool === null ? { access_mode: 'all' } : { allowed_tools: [tool] })
}

/** One that is switched off or has expired would come back with everything else that it gave, which nobody asked for. */
function requireInForce({ enabled, expires_at }: GrantTerms, nowMs: number): void {
	const isOver = expires_at !== null && Date.parse(expires_at) <= nowMs
	if (enabled && !isOver) return
	const state = enabled ? 'has expired' : 'is switched off'
	throw new Problem(
		'conflict',
		`The agent has a grant on this server that ${state}; change that one by hand.`,
	)
}

function widened(before: GrantTerms, tool: string | null): GrantTerms {
	if (tool === null) return changedTerms(before, { access_mode: 'all', allowed_tools: null })
	if (before.access_mode === 'all') return before
	return changedTerms(before, { allowed_tools: [...new Set([...(before.allowed_tools ?? []), tool])] })
}
