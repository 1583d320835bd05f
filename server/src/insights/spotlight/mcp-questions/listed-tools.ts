import { decideAccess } from '../../../access/grants/index.ts'
import type { ServerEntry } from '../../../servers/index.ts'
import type { McpContext } from './context.ts'

/** The names of the tools of a server that the gateway lists for an agent, by the judge that it asks itself. */
export function listedTools(
	{ agents, grants, clock }: Pick<McpContext, 'agents' | 'grants' | 'clock'>,
	agentId: string,
	server: ServerEntry,
): string[] {
	const granted = grants.of(agentId, server.id)
	const asked = { agent: agents.get(agentId), server, grants: granted, nowMs: clock.nowMs() }
	return server.tools
		.filter((definition) => {
			const tool = definition.name
			const pin = server.suspended.has(tool) ? 'suspended' : 'open'
			return decideAccess({ ...asked, tool, definition, pin }).allowed
		})
		.map(({ name }) => name)
}
