import type { Actor } from '../../accounts/audit/index.ts'
import { appendChange } from '../../platform/changes.ts'
import { type DatabaseTransaction, lockGroups } from '../../platform/database/index.ts'
import { newId } from '../../platform/ids.ts'
import type { AgentContext } from './agent-context.ts'
import { type AgentRow, insertAgent, namesLike, replaceGroups } from './agent-repository.ts'
import { everyModelText } from './model-access.ts'

/** An agent that the platform makes for a person. */
export interface AddedAgent {
	workspaceId: string
	/** Gets a number when it is taken. */
	name: string
	description: string
	groups: readonly string[]
	by: Actor
	requestId: string
}

/** Makes an agent in the caller's transaction, with the grants of its groups; its id. */
export async function addAgent(
	agents: AgentContext,
	tx: DatabaseTransaction,
	{ workspaceId, name, description, groups, by, requestId }: AddedAgent,
): Promise<string> {
	await lockGroups(tx)
	const nowMs = agents.clock.nowMs()
	const row: AgentRow = {
		id: newId(nowMs),
		workspace_id: workspaceId,
		name: freeName(name, await namesLike(tx, workspaceId, name)),
		description,
		status: 'active',
		last_seen_at: null,
		model_access: everyModelText,
		call_limits: null,
		tool_face: null,
		created_at: nowMs,
		updated_at: nowMs,
	}
	await insertAgent(tx, row)
	if (groups.length > 0) {
		await replaceGroups(tx, workspaceId, row.id, groups)
		await agents.deriveGrants(tx, workspaceId, [row.id])
	}
	await agents.audit.record(tx, {
		workspaceId,
		actor: by,
		action: 'agents.create',
		target: { kind: 'agent', id: row.id, name: row.name },
		detail: { name: row.name, status: row.status, groups },
		requestId,
	})
	await appendChange(tx, 'agent', row.id, agents.clock)
	return row.id
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
	if (!taken.has(wanted)) return wanted
	let number = 2
	while (taken.has(`${wanted} ${number}`)) number += 1
	return `${wanted} ${number}`
}
