import type { ControlSchema, DatabaseTransaction, Queryable } from '../platform/database/index.ts'

export type GrantRow = ControlSchema['access_grants']

export function findGrant(
	db: Queryable,
	workspaceId: string,
	serverId: string,
	agentId: string,
): Promise<GrantRow | undefined> {
	return grants(db, workspaceId)
		.where('server_id', '=', serverId)
		.where('agent_id', '=', agentId)
		.executeTakeFirst()
}

export function listGrantsOfAgent(db: Queryable, workspaceId: string, agentId: string): Promise<GrantRow[]> {
	return grants(db, workspaceId).where('agent_id', '=', agentId).orderBy('created_at').orderBy('id').execute()
}

/** The grants on a server with a summary of their agents. */
export function listGrantsWithAgents(db: Queryable, workspaceId: string, serverId: string) {
	return db
		.selectFrom('access_grants')
		.innerJoin('agents', 'agents.id', 'access_grants.agent_id')
		.selectAll('access_grants')
		.select(['agents.name as agent_name', 'agents.status as agent_status'])
		.where('access_grants.workspace_id', '=', workspaceId)
		.where('access_grants.server_id', '=', serverId)
		.orderBy('access_grants.created_at')
		.orderBy('access_grants.id')
		.execute()
}

/** Names and short names, by id; only those of the workspace are found. */
export async function findTarget(
	db: Queryable,
	table: 'agents' | 'mcp_servers',
	workspaceId: string,
	id: string,
): Promise<{ id: string; name: string } | undefined> {
	return db
		.selectFrom(table)
		.select(['id', 'name'])
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

export async function insertGrant(tx: DatabaseTransaction, row: GrantRow): Promise<void> {
	await tx.insertInto('access_grants').values(row).execute()
}

export async function updateGrant(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Pick<GrantRow, 'access_mode' | 'allowed_tools' | 'enabled' | 'updated_at'>,
): Promise<void> {
	await tx
		.updateTable('access_grants')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

export async function deleteGrant(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
	await tx.deleteFrom('access_grants').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** For the view, which spans workspaces. */
export function listGrantsForView(db: Queryable): Promise<GrantRow[]> {
	return db.selectFrom('access_grants').selectAll().execute()
}

/** For the view, which is told an id only. */
export function findGrantForView(db: Queryable, id: string): Promise<GrantRow | undefined> {
	return db.selectFrom('access_grants').selectAll().where('id', '=', id).executeTakeFirst()
}

function grants(db: Queryable, workspaceId: string) {
	return db.selectFrom('access_grants').selectAll().where('workspace_id', '=', workspaceId)
}
