import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type DemoRow = ControlSchema['demos']
export type RequestRow = ControlSchema['access_requests']

/** The demo that has a workspace. */
export function findDemo(db: Queryable): Promise<DemoRow | undefined> {
	return db
		.selectFrom('demos')
		.innerJoin('workspaces', 'workspaces.id', 'demos.id')
		.selectAll('demos')
		.orderBy('demos.created_at')
		.limit(1)
		.executeTakeFirst()
}

/** The slug of its workspace, which differs from `demo` if another workspace has that slug. */
export async function findDemoSlug(db: Queryable): Promise<string | null> {
	const row = await db
		.selectFrom('demos')
		.innerJoin('workspaces', 'workspaces.id', 'demos.id')
		.select('workspaces.slug')
		.orderBy('demos.created_at')
		.limit(1)
		.executeTakeFirst()
	return row?.slug ?? null
}

/** Demos whose workspace was deleted, so that their telemetry must be erased too. */
export async function listRemoved(db: Queryable): Promise<string[]> {
	const rows = await db
		.selectFrom('demos')
		.leftJoin('workspaces', 'workspaces.id', 'demos.id')
		.where('workspaces.id', 'is', null)
		.select('demos.id')
		.orderBy('demos.id')
		.execute()
	return rows.map(({ id }) => id)
}

export async function insertDemo(tx: DatabaseTransaction, row: DemoRow): Promise<void> {
	await tx.insertInto('demos').values(row).execute()
}

export async function updateDemo(
	tx: DatabaseTransaction,
	workspaceId: string,
	values: Pick<DemoRow, 'state' | 'highlights'>,
): Promise<void> {
	await tx.updateTable('demos').set(values).where('id', '=', workspaceId).execute()
}

export async function deleteDemo(tx: DatabaseTransaction, workspaceId: string): Promise<void> {
	await tx.deleteFrom('demos').where('id', '=', workspaceId).execute()
}

/** The person for whom a start with `--demo` creates it. */
export function findFirstOperator(db: Queryable): Promise<{ id: string; email: string } | undefined> {
	return db
		.selectFrom('users')
		.select(['id', 'email'])
		.where('operator', '=', 1)
		.orderBy('created_at')
		.orderBy('id')
		.limit(1)
		.executeTakeFirst()
}

export async function insertRequests(tx: DatabaseTransaction, rows: readonly RequestRow[]): Promise<void> {
	await tx.insertInto('access_requests').values(rows).execute()
}

/** Dates agents, servers, grants and prices before their first call; restricted to demo workspaces. */
export async function dateObjects(tx: DatabaseTransaction, workspaceId: string, atMs: number): Promise<void> {
	const values = { created_at: atMs, updated_at: atMs }
	for (const table of ['agents', 'mcp_servers', 'access_grants', 'price_overrides'] as const)
		await tx.updateTable(table).set(values).where('workspace_id', 'in', demoOf(tx, workspaceId)).execute()
	await tx
		.updateTable('price_overrides')
		.set({ effective_from: atMs })
		.where('workspace_id', 'in', demoOf(tx, workspaceId))
		.execute()
	await dateDefinitions(tx, workspaceId, 0, atMs)
}

/** Dates what was seen of tool definitions since a time; restricted to demo workspaces. */
export async function dateDefinitions(
	tx: DatabaseTransaction,
	workspaceId: string,
	sinceMs: number,
	atMs: number,
): Promise<void> {
	for (const time of ['first_seen', 'last_seen'] as const)
		await tx
			.updateTable('tool_definitions')
			.set({ [time]: atMs })
			.where('workspace_id', 'in', demoOf(tx, workspaceId))
			.where(time, '>=', sinceMs)
			.execute()
	await tx
		.updateTable('tool_pins')
		.set({ since: atMs })
		.where('workspace_id', 'in', demoOf(tx, workspaceId))
		.where('since', '>=', sinceMs)
		.execute()
}

/** The times of the last calls, by the names of agents and of connections. */
export interface LastUsesOfDay {
	agents: Map<string, number>
	connections: Map<string, number>
}

/** Dates when agents, their keys and connections were last used; restricted to demo workspaces. */
export async function dateUses(
	tx: DatabaseTransaction,
	workspaceId: string,
	{ agents, connections }: LastUsesOfDay,
): Promise<void> {
	for (const [name, atMs] of agents) {
		const { id } = await tx
			.updateTable('agents')
			.set({ last_seen_at: atMs })
			.where('workspace_id', 'in', demoOf(tx, workspaceId))
			.where('name', '=', name)
			.returning('id')
			.executeTakeFirstOrThrow()
		await tx.updateTable('credentials').set({ last_used_at: atMs }).where('agent_id', '=', id).execute()
	}
	for (const [name, atMs] of connections)
		await tx
			.updateTable('connections')
			.set({ last_used_at: atMs })
			.where('workspace_id', 'in', demoOf(tx, workspaceId))
			.where('name', '=', name)
			.execute()
}

/** The workspace, if it is one of a demo. */
function demoOf(tx: DatabaseTransaction, workspaceId: string) {
	return tx.selectFrom('demos').select('id').where('id', '=', workspaceId)
}
