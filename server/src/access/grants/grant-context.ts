import { type Audit, actorOf } from '../../accounts/audit/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore, DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { notFound } from '../../platform/errors.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
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

export function recordChange(
	tx: DatabaseTransaction,
	{ audit }: GrantContext,
	request: RequestContext,
	action: string,
	grantId: string,
	{ agent, server, ...terms }: { agent: NamedTarget; server: NamedTarget } & Record<string, unknown>,
): Promise<void> {
	const principal = principalIn(request)
	return audit.record(tx, {
		workspaceId: principal.workspaceId,
		actor: actorOf(principal),
		action,
		target: { kind: 'access_grant', id: grantId, name: `${agent.name} → ${server.name}` },
		detail: { agent_uuid: agent.id, server_id: server.id, ...terms },
		requestId: request.requestId,
	})
}
