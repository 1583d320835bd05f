import type { HealthStatus, ServerStatus, TransportType } from '@signalbox/contract'
import { sql } from 'kysely'
import {
	type DatabaseTransaction,
	isPostgres,
	nameContains,
	type Queryable,
} from '../platform/database/database.ts'
import { countOf } from '../platform/database/owned-rows.ts'
import type { ControlSchema } from '../platform/database/schema.ts'

export type ServerRow = ControlSchema['mcp_servers']

export interface ServerFilter {
	status?: ServerStatus
	health_status?: HealthStatus
	transport_type?: TransportType
	q?: string
}

const searched = ['name', 'slug', 'description']

function matching(
	db: Queryable,
	workspaceId: string,
	{ status, health_status, transport_type, q }: ServerFilter,
) {
	return db
		.selectFrom('mcp_servers')
		.where('workspace_id', '=', workspaceId)
		.$if(status !== undefined, (query) => query.where('status', '=', status as string))
		.$if(health_status !== undefined, (query) => query.where('health_status', '=', health_status as string))
		.$if(transport_type !== undefined, (query) =>
			query.where('transport_type', '=', transport_type as string),
		)
		.$if(q !== undefined, (query) => query.where(nameContains(q as string, searched)))
}

export function countServers(db: Queryable, workspaceId: string, filter: ServerFilter): Promise<number> {
	return countOf(matching(db, workspaceId, filter))
}

export function listServers(
	db: Queryable,
	workspaceId: string,
	filter: ServerFilter,
	{ sort, order }: { sort: 'name' | 'created_at' | 'updated_at'; order: 'asc' | 'desc' },
	{ page, limit }: { page: number; limit: number },
): Promise<ServerRow[]> {
	const found = matching(db, workspaceId, filter).selectAll().orderBy(sort, order).orderBy('id', order)
	return found
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
}

export function findServer(db: Queryable, workspaceId: string, id: string): Promise<ServerRow | undefined> {
	return db
		.selectFrom('mcp_servers')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

export async function hasServerNamed(db: Queryable, workspaceId: string, name: string): Promise<boolean> {
	const found = db
		.selectFrom('mcp_servers')
		.select('id')
		.where('workspace_id', '=', workspaceId)
		.where('name', '=', name)
	return (await found.executeTakeFirst()) !== undefined
}

/** Serialises transactions that choose names for the aggregate endpoint; SQLite has one writer anyway. */
export async function lockExposedNames(tx: DatabaseTransaction): Promise<void> {
	if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7314009)`.execute(tx)
}

/** The names of a workspace's servers on the aggregate endpoint. */
export function listExposedNames(
	db: Queryable,
	workspaceId: string,
): Promise<Pick<ServerRow, 'id' | 'name' | 'slug' | 'tool_prefix' | 'tool_aliases'>[]> {
	return db
		.selectFrom('mcp_servers')
		.select(['id', 'name', 'slug', 'tool_prefix', 'tool_aliases'])
		.where('workspace_id', '=', workspaceId)
		.execute()
}

export async function insertServer(tx: DatabaseTransaction, row: ServerRow): Promise<void> {
	await tx.insertInto('mcp_servers').values(row).execute()
}

export async function updateServer(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Partial<ServerRow>,
): Promise<void> {
	await tx
		.updateTable('mcp_servers')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/**
 * Waits for transactions that add something to a server, such as a grant, and holds back later ones, which then find no server. SQLite has
 * one writer anyway.
 */
export async function lockServer(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
	if (!isPostgres(tx)) return
	await tx
		.selectFrom('mcp_servers')
		.select('id')
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.forUpdate()
		.execute()
}

/** Deletes a server; the store cascades to its tools and grants. */
export async function deleteServer(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
	await tx.deleteFrom('mcp_servers').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** The grants that are deleted with a server. */
export async function listGrantsOf(
	db: Queryable,
	workspaceId: string,
	serverId: string,
): Promise<{ id: string; agent_id: string; enabled: number }[]> {
	return db
		.selectFrom('access_grants')
		.select(['id', 'agent_id', 'enabled'])
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.execute()
}

/** The number of agents with grants on each server; servers without any are absent. */
export async function countGrantsOf(
	db: Queryable,
	workspaceId: string,
	serverIds: readonly string[],
): Promise<Map<string, number>> {
	if (serverIds.length === 0) return new Map()
	const rows = await db
		.selectFrom('access_grants')
		.select((eb) => ['server_id', eb.fn.count<number>('agent_id').distinct().as('grants')])
		.where('workspace_id', '=', workspaceId)
		.where('server_id', 'in', [...serverIds])
		.groupBy('server_id')
		.execute()
	return new Map(rows.map((row) => [row.server_id, Number(row.grants)]))
}

/** For the background checks, which span workspaces: some active servers without a job of this kind. */
export function listUnscheduledServers(db: Queryable, kind: string): Promise<ServerRow[]> {
	return db
		.selectFrom('mcp_servers')
		.selectAll()
		.where('status', '=', 'active')
		.where('id', 'not in', db.selectFrom('jobs').select('key').where('kind', '=', kind))
		.limit(500)
		.execute()
}

/** For the view, which spans workspaces. */
export function listServersForView(db: Queryable): Promise<ServerRow[]> {
	return db.selectFrom('mcp_servers').selectAll().execute()
}

/** For the view and for background checks, which know only the id. */
export function findServerForView(db: Queryable, id: string): Promise<ServerRow | undefined> {
	return db.selectFrom('mcp_servers').selectAll().where('id', '=', id).executeTakeFirst()
}
