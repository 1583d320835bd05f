import type { Audit, RequestedChange } from '../../accounts/audit/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore, Queryable } from '../../platform/database/database.ts'
import { notFound } from '../../platform/errors.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { ServerView } from '../../servers/servers.ts'
import type { AgentView } from '../agents/agents.ts'
import { findTarget } from './grant-repository.ts'

/** What every operation on grants needs. */
export interface GrantContext {
	store: ControlStore
	mutate: Mutate
	audit: Audit
	clock: Clock
	agents: AgentView
	servers: ServerView
}

export interface NamedTarget {
	id: string
	name: string
}

/** The agent or server of the workspace. Throws the same 404 for malformed ids and for objects of other workspaces. */
export async function targetOrNotFound(
	db: Queryable,
	table: 'agents' | 'mcp_servers',
	workspaceId: string,
	id: string,
): Promise<NamedTarget> {
	const found = await findTarget(db, table, workspaceId, id)
	if (!found) throw notFound(table === 'agents' ? 'agent' : 'MCP server')
	return found
}

/** A change of a grant, as it is recorded. */
export function changeOf(
	action: string,
	id: string,
	{ agent, server, ...terms }: { agent: NamedTarget; server: NamedTarget } & Record<string, unknown>,
): RequestedChange {
	const target = { kind: 'access_grant', id, name: `${agent.name} → ${server.name}` }
	const detail = { agent_uuid: agent.id, server_id: server.id, ...terms }
	return { action, target, detail, viewKind: 'grant' }
}
