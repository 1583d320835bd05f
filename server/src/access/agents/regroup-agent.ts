import type { Actor } from '../../accounts/audit/index.ts'
import { appendChange } from '../../platform/changes.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import type { AgentContext } from './context.ts'
import { presentAgent } from './present-agent.ts'
import { findAgentWithUse, replaceGroups } from './repository.ts'

/** Groups that come to an agent of a person, and groups that go. */
export interface RegroupedAgent {
	workspaceId: string
	agentId: string
	add: readonly string[]
	remove: readonly string[]
	by: Actor
	requestId: string
}

/** Changes an agent's groups, and with them its grants, in the caller's transaction, which began with `lockGroups`. */
export async function regroupAgent(
	agents: AgentContext,
	tx: DatabaseTransaction,
	{ workspaceId, agentId, add, remove, by, requestId }: RegroupedAgent,
): Promise<void> {
	const row = await findAgentWithUse(tx, workspaceId, agentId, agents.clock.nowMs())
	if (!row) return
	const { name, status, groups: before } = presentAgent(row)
	const kept = before.filter((group) => !remove.includes(group))
	const groups = [...new Set([...kept, ...add])].sort()
	if (groups.join() === before.join()) return
	await replaceGroups(tx, workspaceId, agentId, groups)
	await agents.deriveGrants(tx, workspaceId, [agentId])
	await agents.audit.record(tx, {
		workspaceId,
		actor: by,
		action: 'agents.update',
		target: { kind: 'agent', id: agentId, name },
		detail: { name, status, groups },
		requestId,
	})
	await appendChange(tx, 'agent', agentId, agents.clock)
}
