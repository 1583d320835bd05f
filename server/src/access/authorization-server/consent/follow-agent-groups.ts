import type { AgentGroupsChange } from '../../../accounts/identity/index.ts'
import type { DatabaseTransaction } from '../../../platform/database/index.ts'
import type { AuthorizationContext } from '../authorization-context.ts'
import { findPersonalAgent } from '../authorization-repository.ts'

/** Keeps the groups of a person's own agent with what their provider says; groups that it was given by hand stay. */
export async function followAgentGroups(
	{ agents }: Pick<AuthorizationContext, 'agents'>,
	tx: DatabaseTransaction,
	{ workspaceId, userId, before, after, by, requestId }: AgentGroupsChange,
): Promise<void> {
	const agentId = await findPersonalAgent(tx, workspaceId, userId)
	if (agentId === undefined) return
	const remove = before.filter((group) => !after.includes(group))
	await agents.regroup(tx, { workspaceId, agentId, add: after, remove, by, requestId })
}
