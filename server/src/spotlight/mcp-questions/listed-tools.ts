import { decideAccess } from '../../access-grants/index.ts'
import type { ServerEntry } from '../../servers/index.ts'
import type { McpContext } from './context.ts'

/** The names of the tools of a server that the gateway lists for an agent, by the judge that it asks itself. */
export function listedTools(
	{ agents, grants }: Pick<McpContext, 'agents' | 'grants'>,
	agentId: string,
	server: ServerEntry,
	nowMs: number,
): string[] {
	const asked = { agent: agents.get(agentId), server, grants: grants.of(agentId, server.id), nowMs }
	return server.tools
		.map(({ name }) => name)
		.filter((tool) => {
			const pin = server.suspended.has(tool) ? 'suspended' : 'open'
			return decideAccess({ ...asked, tool, pin }).allowed
		})
}
