import type { accessGrantOperations, OutputOf } from '@signalbox/contract'
import type { GrantContext } from './context.ts'
import { decideAccess } from './decide-access.ts'
import { presentGrant } from './present-grant.ts'
import { type GrantRow, listGrantsOfAgent } from './repository.ts'

type Explained = OutputOf<(typeof accessGrantOperations)['ofAgent']>['access']

/** Every grant of an agent, with the judge's verdict on each tool that the server has. */
export async function explainAccess(
	grants: GrantContext,
	workspaceId: string,
	agentId: string,
): Promise<Explained> {
	const rows = await listGrantsOfAgent(grants.store.db, workspaceId, agentId)
	return rows.flatMap((row) => explain(grants, row))
}

function explain({ agents, servers }: GrantContext, row: GrantRow): Explained {
	const server = servers.get(row.server_id)
	if (!server) return []
	const { access_mode, allowed_tools, enabled, ...grant } = presentGrant(row)
	const question = {
		agent: agents.get(row.agent_id),
		server,
		grant: {
			id: row.id,
			workspaceId: row.workspace_id,
			serverId: row.server_id,
			agentId: row.agent_id,
			accessMode: access_mode,
			allowedTools: allowed_tools && new Set(allowed_tools),
			enabled,
		},
	}
	const names = new Set([...server.tools.map(({ name }) => name), ...(allowed_tools ?? [])])
	const tools = [...names].map((name) => {
		const { allowed, reason } = decideAccess({ ...question, tool: name })
		return { name, allowed, reason }
	})
	return [
		{
			grant: { ...grant, access_mode, allowed_tools, enabled },
			server: { id: server.id, name: server.name, slug: server.slug },
			tools,
		},
	]
}
