import type { AgentStatus } from '@signalbox/contract'
import { type AliasedExpression, sql } from 'kysely'
import { type DatabaseTransaction, nameContains, type Queryable } from '../../platform/database/database.ts'
import { countOf } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type AgentRow = ControlSchema['agents']

/** With the number of servers that it may use, and the names of its groups, sorted and separated by commas. */
export interface AgentWithUse extends AgentRow {
	servers: number | null
	groups: string | null
}

export interface AgentFilter {
	status?: AgentStatus
	q?: string
	group?: string
}

export interface AgentOrder {
	sort: 'name' | 'created_at' | 'updated_at'
	order: 'asc' | 'desc'
}

function matching(db: Queryable, workspaceId: string, { status, q, group }: AgentFilter) {
	return db
		.selectFrom('agents')
		.where('workspace_id', '=', workspaceId)
		.$if(status !== undefined, (query) => query.where('status', '=', status as string))
		.$if(q !== undefined, (query) => query.where(nameContains(q as string)))
		.$if(group !== undefined, (query) =>
			query.where('id', 'in', (eb) =>
				eb
					.selectFrom('agent_groups')
					.select('agent_id')
					.where('workspace_id', '=', workspaceId)
					.where('name', '=', group as string),
			),
		)
}

export async function replaceGroups(
	tx: DatabaseTransaction,
	workspaceId: string,
	agentId: string,
	groups: readonly string[],
): Promise<void> {
	await tx
		.deleteFrom('agent_groups')
		.where('workspace_id', '=', workspaceId)
		.where('agent_id', '=', agentId)
		.execute()
	const rows = groups.map((name) => ({ agent_id: agentId, workspace_id: workspaceId, name }))
	if (rows.length > 0) await tx.insertInto('agent_groups').values(rows).execute()
}

function countAgents(db: Queryable, workspaceId: string, filter: AgentFilter): Promise<number> {
	return countOf(matching(db, workspaceId, filter))
}

/** A page of agents and the number of matches, in one statement: a remote store costs one round trip. */
export async function listAgents(
	db: Queryable,
	workspaceId: string,
	filter: AgentFilter,
	{ sort, order }: AgentOrder,
	{ page, limit }: { page: number; limit: number },
	nowMs: number,
): Promise<{ rows: AgentWithUse[]; total: number }> {
	const found = matching(db, workspaceId, filter)
		.selectAll()
		.orderBy(sort, order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
	const total = matching(db, workspaceId, filter).select((eb) => eb.fn.countAll<number>().as('total'))
	const rows = await withUse(db, workspaceId, found.as('agent'), nowMs)
		.select(total.as('total'))
		.orderBy(`agent.${sort}`, order)
		.orderBy('agent.id', order)
		.execute()
	return { rows, total: rows[0]?.total ?? (await countAgents(db, workspaceId, filter)) }
}

export function findAgentWithUse(
	db: Queryable,
	workspaceId: string,
	id: string,
	nowMs: number,
): Promise<AgentWithUse | undefined> {
	const found = db
		.selectFrom('agents')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
	return withUse(db, workspaceId, found.as('agent'), nowMs).executeTakeFirst()
}

/** Agents with their groups, and the number of servers that each may use by its grants. A disabled direct grant denies. */
function withUse(
	db: Queryable,
	workspaceId: string,
	agents: AliasedExpression<AgentRow, 'agent'>,
	nowMs: number,
) {
	const open = db
		.selectFrom('access_grants')
		.select('server_id')
		.where('workspace_id', '=', workspaceId)
		.whereRef('agent_id', '=', sql.ref('agent.id'))
		.where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
		.groupBy('server_id')
		.having((eb) => eb.fn.min('enabled'), '=', 1)
	return db
		.selectFrom(agents)
		.selectAll('agent')
		.select([
			db
				.selectFrom(open.as('open'))
				.select((eb) => eb.fn.countAll<number>().as('servers'))
				.as('servers'),
			db
				.selectFrom('agent_groups')
				.select(sql<string | null>`string_agg(name, ',' order by name)`.as('groups'))
				.where('workspace_id', '=', workspaceId)
				.whereRef('agent_id', '=', sql.ref('agent.id'))
				.as('groups'),
		])
}

export function findAgent(db: Queryable, workspaceId: string, id: string): Promise<AgentRow | undefined> {
	return db
		.selectFrom('agents')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

/** The names of the workspace's agents that begin with this text. */
export async function namesLike(
	tx: DatabaseTransaction,
	workspaceId: string,
	name: string,
): Promise<ReadonlySet<string>> {
	const rows = await tx.selectFrom('agents').select('name').where('workspace_id', '=', workspaceId).execute()
	return new Set(rows.map((row) => row.name).filter((taken) => taken.startsWith(name)))
}

export async function insertAgent(tx: DatabaseTransaction, row: AgentRow): Promise<void> {
	await tx.insertInto('agents').values(row).execute()
}

export async function updateAgent(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Omit<AgentRow, 'id' | 'workspace_id' | 'status' | 'last_seen_at' | 'created_at'>,
): Promise<void> {
	await tx
		.updateTable('agents')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** Changes the status if it is currently one of `from`; false otherwise. */
export async function moveStatus(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	from: readonly AgentStatus[],
	to: AgentStatus,
	nowMs: number,
): Promise<boolean> {
	const moved = await tx
		.updateTable('agents')
		.set({ status: to, updated_at: nowMs })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('status', 'in', [...from])
		.executeTakeFirst()
	return moved.numUpdatedRows === 1n
}

/** Deletes an agent. The store deletes its keys, grants and sessions by cascade. */
export async function deleteAgent(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
	await tx.deleteFrom('agents').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** The objects that are deleted with an agent and are held in views. */
export async function listDependents(
	db: Queryable,
	workspaceId: string,
	agentId: string,
): Promise<{ credentials: string[]; grants: string[] }> {
	const of = (table: 'credentials' | 'access_grants') =>
		db
			.selectFrom(table)
			.select('id')
			.where('workspace_id', '=', workspaceId)
			.where('agent_id', '=', agentId)
			.execute()
	const [credentials, grants] = [await of('credentials'), await of('access_grants')]
	return { credentials: credentials.map(({ id }) => id), grants: grants.map(({ id }) => id) }
}

/** A server of the workspace, by its id or slug. */
export function findServer(
	db: Queryable,
	workspaceId: string,
	idOrSlug: string,
): Promise<{ id: string; slug: string } | undefined> {
	return db
		.selectFrom('mcp_servers')
		.select(['id', 'slug'])
		.where('workspace_id', '=', workspaceId)
		.where((eb) => eb.or([eb('id', '=', idOrSlug), eb('slug', '=', idOrSlug)]))
		.executeTakeFirst()
}

/** Takes the id alone: the caller has found the agent by its own key. */
export async function touchAgent(tx: DatabaseTransaction, id: string, seenAtMs: number): Promise<void> {
	await tx.updateTable('agents').set({ last_seen_at: seenAtMs }).where('id', '=', id).execute()
}

/** For the view, which spans workspaces. */
export function listAgentsForView(db: Queryable): Promise<AgentRow[]> {
	return db.selectFrom('agents').selectAll().execute()
}

/** For the view, which is given an id only. */
export function findAgentForView(db: Queryable, id: string): Promise<AgentRow | undefined> {
	return db.selectFrom('agents').selectAll().where('id', '=', id).executeTakeFirst()
}
