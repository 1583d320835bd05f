import {
	type DatabaseTransaction,
	nameContains,
	type Queryable,
} from '../../../platform/database/database.ts'
import { countOf } from '../../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type ToolsetRow = ControlSchema['toolsets']
/** The tools of one server that a toolset names. */
export interface ToolsOfServer {
	serverId: string
	tools: string[]
}

export interface ToolsetFilter {
	q?: string
	group?: string
}

function matching(db: Queryable, workspaceId: string, { q, group }: ToolsetFilter) {
	return db
		.selectFrom('toolsets')
		.where('workspace_id', '=', workspaceId)
		.$if(q !== undefined, (query) => query.where(nameContains(q as string)))
		.$if(group !== undefined, (query) =>
			query.where('id', 'in', (eb) =>
				eb
					.selectFrom('toolset_groups')
					.select('toolset_id')
					.where('workspace_id', '=', workspaceId)
					.where('name', '=', group as string),
			),
		)
}

export function countToolsets(db: Queryable, workspaceId: string, filter: ToolsetFilter): Promise<number> {
	return countOf(matching(db, workspaceId, filter))
}

export function listToolsets(
	db: Queryable,
	workspaceId: string,
	filter: ToolsetFilter,
	{ sort, order }: { sort: 'name' | 'created_at' | 'updated_at'; order: 'asc' | 'desc' },
	{ page, limit }: { page: number; limit: number },
): Promise<ToolsetRow[]> {
	const found = matching(db, workspaceId, filter).selectAll().orderBy(sort, order).orderBy('id', order)
	return found
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
}

export function findToolset(db: Queryable, workspaceId: string, id: string): Promise<ToolsetRow | undefined> {
	return db
		.selectFrom('toolsets')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

export function listAllToolsets(db: Queryable, workspaceId: string): Promise<ToolsetRow[]> {
	return db.selectFrom('toolsets').selectAll().where('workspace_id', '=', workspaceId).orderBy('id').execute()
}

/** By toolset, ordered by server id. */
export async function listToolsIn(
	db: Queryable,
	workspaceId: string,
	toolsetIds: readonly string[],
): Promise<Map<string, ToolsOfServer[]>> {
	if (toolsetIds.length === 0) return new Map()
	const rows = await db
		.selectFrom('toolset_tools')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('toolset_id', 'in', [...toolsetIds])
		.orderBy('server_id')
		.execute()
	const entries = rows.map(({ toolset_id, server_id, tools }) => ({
		key: toolset_id,
		value: { serverId: server_id, tools: JSON.parse(tools) as string[] },
	}))
	return grouped(entries)
}

/** By toolset, ordered by name. */
export async function listGroupsIn(
	db: Queryable,
	workspaceId: string,
	toolsetIds: readonly string[],
): Promise<Map<string, string[]>> {
	if (toolsetIds.length === 0) return new Map()
	const rows = await db
		.selectFrom('toolset_groups')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('toolset_id', 'in', [...toolsetIds])
		.orderBy('name')
		.execute()
	return grouped(rows.map(({ toolset_id, name }) => ({ key: toolset_id, value: name })))
}

function grouped<T>(entries: readonly { key: string; value: T }[]): Map<string, T[]> {
	const groups = new Map<string, T[]>()
	for (const { key, value } of entries) {
		const group = groups.get(key)
		if (group) group.push(value)
		else groups.set(key, [value])
	}
	return groups
}

/** The number of agents with grants from each toolset; toolsets without any are absent. */
export async function countAgentsOf(
	db: Queryable,
	workspaceId: string,
	toolsetIds: readonly string[],
): Promise<Map<string, number>> {
	if (toolsetIds.length === 0) return new Map()
	const rows = await db
		.selectFrom('access_grants')
		.select((eb) => ['source', eb.fn.count<number>('agent_id').distinct().as('agents')])
		.where('workspace_id', '=', workspaceId)
		.where('source', 'in', [...toolsetIds])
		.groupBy('source')
		.execute()
	return new Map(rows.map((row) => [row.source, Number(row.agents)]))
}

export async function insertToolset(tx: DatabaseTransaction, row: ToolsetRow): Promise<void> {
	await tx.insertInto('toolsets').values(row).execute()
}

export async function updateToolset(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Pick<ToolsetRow, 'name' | 'description' | 'updated_at'>,
): Promise<void> {
	await tx
		.updateTable('toolsets')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** Deletes a toolset. The store deletes its tools and groups by cascade, but not the grants. */
export async function deleteToolset(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
	await tx.deleteFrom('toolsets').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

export async function replaceTools(
	tx: DatabaseTransaction,
	workspaceId: string,
	toolsetId: string,
	tools: readonly ToolsOfServer[],
): Promise<void> {
	await tx
		.deleteFrom('toolset_tools')
		.where('workspace_id', '=', workspaceId)
		.where('toolset_id', '=', toolsetId)
		.execute()
	const rows = tools.map(({ serverId, tools: names }) => ({
		toolset_id: toolsetId,
		workspace_id: workspaceId,
		server_id: serverId,
		tools: JSON.stringify(names),
	}))
	if (rows.length > 0) await tx.insertInto('toolset_tools').values(rows).execute()
}

export async function replaceToolsetGroups(
	tx: DatabaseTransaction,
	workspaceId: string,
	toolsetId: string,
	groups: readonly string[],
): Promise<void> {
	await tx
		.deleteFrom('toolset_groups')
		.where('workspace_id', '=', workspaceId)
		.where('toolset_id', '=', toolsetId)
		.execute()
	const rows = groups.map((name) => ({ toolset_id: toolsetId, workspace_id: workspaceId, name }))
	if (rows.length > 0) await tx.insertInto('toolset_groups').values(rows).execute()
}

/** Which of the servers belong to the workspace, with their current tools. */
export async function listCurrentTools(
	db: Queryable,
	workspaceId: string,
	serverIds: readonly string[],
): Promise<Map<string, string[]>> {
	if (serverIds.length === 0) return new Map()
	const rows = await db
		.selectFrom('mcp_servers')
		.leftJoin('mcp_tools', 'mcp_tools.server_id', 'mcp_servers.id')
		.select(['mcp_servers.id', 'mcp_tools.name'])
		.where('mcp_servers.workspace_id', '=', workspaceId)
		.where('mcp_servers.id', 'in', [...serverIds])
		.orderBy('mcp_tools.position')
		.execute()
	const tools = new Map<string, string[]>()
	for (const { id, name } of rows) tools.set(id, [...(tools.get(id) ?? []), ...(name === null ? [] : [name])])
	return tools
}

/** The agents that are in any of the groups. */
export async function listAgentsIn(
	db: Queryable,
	workspaceId: string,
	groups: readonly string[],
): Promise<string[]> {
	if (groups.length === 0) return []
	const rows = await db
		.selectFrom('agent_groups')
		.select('agent_id')
		.distinct()
		.where('workspace_id', '=', workspaceId)
		.where('name', 'in', [...groups])
		.execute()
	return rows.map(({ agent_id }) => agent_id)
}
