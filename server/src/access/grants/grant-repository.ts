import { type DatabaseTransaction, nameContains, type Queryable } from '../../platform/database/database.ts'
import { countOf } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import { manualSource } from './grant-entry.ts'

export type GrantRow = ControlSchema['access_grants']
/** With the name of the toolset from which it is derived. */
export type GrantWithSource = GrantRow & { source_name: string | null }
export type GrantWithAgent = GrantWithSource & { agent_name: string; agent_status: string }

/** The direct grant of an agent on a server. */
export function findManualGrant(
	db: Queryable,
	workspaceId: string,
	serverId: string,
	agentId: string,
): Promise<GrantRow | undefined> {
	return db
		.selectFrom('access_grants')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.where('agent_id', '=', agentId)
		.where('source', '=', manualSource)
		.executeTakeFirst()
}

/** The direct grants of any of the agents on any of the servers; at most 500 of each per call. */
export function listManualGrants(
	db: Queryable,
	workspaceId: string,
	agentIds: readonly string[],
	serverIds: readonly string[],
): Promise<GrantRow[]> {
	return db
		.selectFrom('access_grants')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('agent_id', 'in', [...agentIds])
		.where('server_id', 'in', [...serverIds])
		.where('source', '=', manualSource)
		.execute()
}

/** All direct grants of a workspace. */
export function listManualGrantsIn(db: Queryable, workspaceId: string): Promise<GrantRow[]> {
	return db
		.selectFrom('access_grants')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('source', '=', manualSource)
		.orderBy('id')
		.execute()
}

/** When the oldest derived grant of each toolset, or of each agent, was created. */
export async function oldestDerivedBy(
	db: Queryable,
	workspaceId: string,
	column: 'source' | 'agent_id',
): Promise<Map<string, number>> {
	const rows = await db
		.selectFrom('access_grants')
		.select((eb) => [column, eb.fn.min('created_at').as('oldest')])
		.where('workspace_id', '=', workspaceId)
		.where('source', '!=', manualSource)
		.groupBy(column)
		.execute()
	return new Map(rows.map((row) => [String(row[column]), Number(row.oldest)]))
}

/** A direct grant by its id. */
export function findManualGrantById(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<GrantRow | undefined> {
	return db
		.selectFrom('access_grants')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('source', '=', manualSource)
		.executeTakeFirst()
}

/** Which of the ids belong to the workspace; at most 500 per call. */
export async function listTargets(
	db: Queryable,
	table: 'agents' | 'mcp_servers',
	workspaceId: string,
	ids: readonly string[],
): Promise<Set<string>> {
	const rows = await db
		.selectFrom(table)
		.select('id')
		.where('workspace_id', '=', workspaceId)
		.where('id', 'in', [...ids])
		.execute()
	return new Set(rows.map(({ id }) => id))
}

/** The toolsets from which an agent has a grant on a server. */
export function listToolsetsGranting(
	db: Queryable,
	workspaceId: string,
	serverId: string,
	agentId: string,
): Promise<{ id: string; name: string }[]> {
	return db
		.selectFrom('access_grants')
		.innerJoin('toolsets', 'toolsets.id', 'access_grants.source')
		.select(['toolsets.id', 'toolsets.name'])
		.where('access_grants.workspace_id', '=', workspaceId)
		.where('access_grants.server_id', '=', serverId)
		.where('access_grants.agent_id', '=', agentId)
		.orderBy('toolsets.name')
		.execute()
}

/** At most 500 agents per call. */
export function listGrantsOfAgents(
	db: Queryable,
	workspaceId: string,
	agentIds: readonly string[],
): Promise<GrantWithSource[]> {
	return withSource(db, workspaceId)
		.where('access_grants.agent_id', 'in', [...agentIds])
		.orderBy('access_grants.created_at')
		.orderBy('access_grants.id')
		.execute()
}

/** The grants on a server with a summary of their agents. */
export function listGrantsWithAgents(
	db: Queryable,
	workspaceId: string,
	serverId: string,
): Promise<GrantWithAgent[]> {
	return withSource(db, workspaceId)
		.innerJoin('agents', 'agents.id', 'access_grants.agent_id')
		.select(['agents.name as agent_name', 'agents.status as agent_status'])
		.where('access_grants.server_id', '=', serverId)
		.orderBy('access_grants.created_at')
		.orderBy('access_grants.id')
		.execute()
}

function withSource(db: Queryable, workspaceId: string) {
	return db
		.selectFrom('access_grants')
		.leftJoin('toolsets', 'toolsets.id', 'access_grants.source')
		.selectAll('access_grants')
		.select('toolsets.name as source_name')
		.where('access_grants.workspace_id', '=', workspaceId)
}

/** Names and slugs by id; only for objects of the workspace. */
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

/** A page of agents by name, and the number of matches. */
export async function listAgentsOnPage(
	db: Queryable,
	workspaceId: string,
	{ q, page, limit }: { q?: string; page: number; limit: number },
): Promise<{ rows: { id: string; name: string; status: string }[]; total: number }> {
	const matching = db
		.selectFrom('agents')
		.where('workspace_id', '=', workspaceId)
		.$if(q !== undefined, (query) => query.where(nameContains(q as string)))
	const rows = await matching
		.select(['id', 'name', 'status'])
		.orderBy('name')
		.orderBy('id')
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	return { rows, total: await countOf(matching) }
}

const rowsPerStatement = 500

export async function insertGrants(tx: DatabaseTransaction, rows: readonly GrantRow[]): Promise<void> {
	for (let at = 0; at < rows.length; at += rowsPerStatement)
		await tx
			.insertInto('access_grants')
			.values(rows.slice(at, at + rowsPerStatement))
			.execute()
}

export async function updateGrant(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Omit<GrantRow, 'id' | 'workspace_id' | 'server_id' | 'agent_id' | 'source' | 'created_at'>,
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

/** For the view, by the id of a grant, an agent or a toolset, across workspaces. */
export function listGrantsForViewBy(
	db: Queryable,
	column: 'id' | 'agent_id' | 'source',
	id: string,
): Promise<GrantRow[]> {
	return db.selectFrom('access_grants').selectAll().where(column, '=', id).execute()
}

/** Selects derived grants: those of one toolset, or those of some agents. */
export type DerivedScope = { toolsetId: string } | { agentIds: readonly string[] }

export interface MissingGrant {
	toolset_id: string
	agent_id: string
	server_id: string
	tools: string
}

/** Deletes derived grants that no toolset and group justify any more. Resolves with their number. */
export async function deleteUnjustifiedGrants(
	tx: DatabaseTransaction,
	workspaceId: string,
	scope: DerivedScope,
): Promise<number> {
	const deleted = await tx
		.deleteFrom('access_grants')
		.where('access_grants.workspace_id', '=', workspaceId)
		.$if('toolsetId' in scope, (query) =>
			query.where('access_grants.source', '=', (scope as { toolsetId: string }).toolsetId),
		)
		.$if('agentIds' in scope, (query) =>
			query
				.where('access_grants.source', '!=', manualSource)
				.where('access_grants.agent_id', 'in', (scope as { agentIds: string[] }).agentIds),
		)
		.where(({ not, exists, selectFrom }) =>
			not(
				exists(
					selectFrom('toolset_tools')
						.innerJoin('toolset_groups', 'toolset_groups.toolset_id', 'toolset_tools.toolset_id')
						.innerJoin('agent_groups', (join) =>
							join
								.onRef('agent_groups.name', '=', 'toolset_groups.name')
								.onRef('agent_groups.workspace_id', '=', 'toolset_groups.workspace_id'),
						)
						.select('toolset_tools.server_id')
						.whereRef('toolset_tools.toolset_id', '=', 'access_grants.source')
						.whereRef('toolset_tools.server_id', '=', 'access_grants.server_id')
						.whereRef('agent_groups.agent_id', '=', 'access_grants.agent_id'),
				),
			),
		)
		.executeTakeFirst()
	return Number(deleted.numDeletedRows)
}

/** The derived grants that should exist and do not. */
export function listMissing(
	tx: DatabaseTransaction,
	workspaceId: string,
	scope: DerivedScope,
): Promise<MissingGrant[]> {
	return tx
		.selectFrom('toolset_tools')
		.innerJoin('toolset_groups', 'toolset_groups.toolset_id', 'toolset_tools.toolset_id')
		.innerJoin('agent_groups', (join) =>
			join
				.onRef('agent_groups.name', '=', 'toolset_groups.name')
				.onRef('agent_groups.workspace_id', '=', 'toolset_groups.workspace_id'),
		)
		.leftJoin('access_grants', (join) =>
			join
				.onRef('access_grants.server_id', '=', 'toolset_tools.server_id')
				.onRef('access_grants.agent_id', '=', 'agent_groups.agent_id')
				.onRef('access_grants.source', '=', 'toolset_tools.toolset_id'),
		)
		.select([
			'toolset_tools.toolset_id',
			'agent_groups.agent_id',
			'toolset_tools.server_id',
			'toolset_tools.tools',
		])
		.distinct()
		.where('toolset_tools.workspace_id', '=', workspaceId)
		.where('access_grants.id', 'is', null)
		.$if('toolsetId' in scope, (query) =>
			query.where('toolset_tools.toolset_id', '=', (scope as { toolsetId: string }).toolsetId),
		)
		.$if('agentIds' in scope, (query) =>
			query.where('agent_groups.agent_id', 'in', (scope as { agentIds: string[] }).agentIds),
		)
		.execute()
}

/** Updates the derived grants of a toolset on one server to its current tools. Resolves with the number of changed ones. */
export async function updateTools(
	tx: DatabaseTransaction,
	workspaceId: string,
	{ toolsetId, serverId, tools }: { toolsetId: string; serverId: string; tools: string },
	nowMs: number,
): Promise<number> {
	const updated = await tx
		.updateTable('access_grants')
		.set({ allowed_tools: tools, updated_at: nowMs })
		.where('workspace_id', '=', workspaceId)
		.where('source', '=', toolsetId)
		.where('server_id', '=', serverId)
		.where('allowed_tools', '!=', tools)
		.executeTakeFirst()
	return Number(updated.numUpdatedRows)
}
