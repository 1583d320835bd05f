import type { AgentStatus } from '@signalbox/contract'
import {
	type ControlSchema,
	type DatabaseTransaction,
	nameContains,
	type Queryable,
} from '../platform/database/index.ts'

export type AgentRow = ControlSchema['agents']

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

/** The groups of each agent, by name; agents without one are absent. */
export async function listGroupsOf(
	db: Queryable,
	workspaceId: string,
	agentIds: readonly string[],
): Promise<Map<string, string[]>> {
	if (agentIds.length === 0) return new Map()
	const rows = await db
		.selectFrom('agent_groups')
		.select(['agent_id', 'name'])
		.where('workspace_id', '=', workspaceId)
		.where('agent_id', 'in', [...agentIds])
		.orderBy('name')
		.execute()
	const groups = new Map<string, string[]>()
	for (const { agent_id, name } of rows) groups.set(agent_id, [...(groups.get(agent_id) ?? []), name])
	return groups
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

export async function countAgents(db: Queryable, workspaceId: string, filter: AgentFilter): Promise<number> {
	const counted = matching(db, workspaceId, filter).select((eb) => eb.fn.countAll<number>().as('total'))
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

export function listAgents(
	db: Queryable,
	workspaceId: string,
	filter: AgentFilter,
	{ sort, order }: AgentOrder,
	{ page, limit }: { page: number; limit: number },
): Promise<AgentRow[]> {
	const found = matching(db, workspaceId, filter).selectAll().orderBy(sort, order).orderBy('id', order)
	return found
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
}

export function findAgent(db: Queryable, workspaceId: string, id: string): Promise<AgentRow | undefined> {
	return db
		.selectFrom('agents')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

/** How many servers each agent may use by its grants; agents without one are absent. A disabled grant, made by hand, denies. */
export async function countServersOf(
	db: Queryable,
	workspaceId: string,
	agentIds: readonly string[],
	nowMs: number,
): Promise<Map<string, number>> {
	if (agentIds.length === 0) return new Map()
	const open = (from: Queryable) =>
		from
			.selectFrom('access_grants')
			.select(['agent_id', 'server_id'])
			.where('workspace_id', '=', workspaceId)
			.where('agent_id', 'in', [...agentIds])
			.where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
			.groupBy(['agent_id', 'server_id'])
			.having((eb) => eb.fn.min('enabled'), '=', 1)
	const rows = await db
		.selectFrom(open(db).as('open'))
		.select((eb) => ['agent_id', eb.fn.countAll<number>().as('servers')])
		.groupBy('agent_id')
		.execute()
	return new Map(rows.map((row) => [row.agent_id, Number(row.servers)]))
}

export async function insertAgent(tx: DatabaseTransaction, row: AgentRow): Promise<void> {
	await tx.insertInto('agents').values(row).execute()
}

export async function updateAgent(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Partial<Pick<AgentRow, 'name' | 'description' | 'status' | 'model_access'>> & {
		updated_at: number
	},
): Promise<void> {
	await tx
		.updateTable('agents')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** Changes the status if it is one of `from` now; whether it was. */
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

/** Deletes an agent; the store deletes its keys, grants and sessions with it. */
export async function deleteAgent(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
	await tx.deleteFrom('agents').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** What goes with an agent and is held in views. */
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

/** The short name of a server, by that or by its id. */
export async function findSlug(
	db: Queryable,
	workspaceId: string,
	idOrSlug: string,
): Promise<string | undefined> {
	const found = await db
		.selectFrom('mcp_servers')
		.select('slug')
		.where('workspace_id', '=', workspaceId)
		.where((eb) => eb.or([eb('id', '=', idOrSlug), eb('slug', '=', idOrSlug)]))
		.executeTakeFirst()
	return found?.slug
}

/** Notes when agents were last seen. Agents are named by id alone: the caller has found each by its own key. */
export async function touchAgents(db: Queryable, seenAtMs: ReadonlyMap<string, number>): Promise<void> {
	for (const [id, atMs] of seenAtMs) {
		await db.updateTable('agents').set({ last_seen_at: atMs }).where('id', '=', id).execute()
	}
}

/** For the view, which spans workspaces. */
export function listAgentsForView(db: Queryable): Promise<AgentRow[]> {
	return db.selectFrom('agents').selectAll().execute()
}

/** For the view, which is told an id only. */
export function findAgentForView(db: Queryable, id: string): Promise<AgentRow | undefined> {
	return db.selectFrom('agents').selectAll().where('id', '=', id).executeTakeFirst()
}
