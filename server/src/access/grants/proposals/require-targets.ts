import type { Queryable } from '../../../platform/database/index.ts'
import { notFound } from '../../../platform/errors.ts'
import { listTargets } from '../repository.ts'

/** Throws the 404 of agents and servers that are not in the workspace. */
export async function requireTargets(
	db: Queryable,
	workspaceId: string,
	{ agentIds, serverIds }: { agentIds: readonly string[]; serverIds: readonly string[] },
): Promise<void> {
	const servers = await listTargets(db, 'mcp_servers', workspaceId, serverIds)
	if (servers.size < serverIds.length) throw notFound('MCP server')
	const agents = await listTargets(db, 'agents', workspaceId, agentIds)
	if (agents.size < agentIds.length) throw notFound('agent')
}
