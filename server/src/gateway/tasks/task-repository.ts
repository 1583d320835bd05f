import type { Database, DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type TaskRow = ControlSchema['mcp_tasks']
/** Selects tasks: of an agent, of the user for whom it acts, and of one server or (null) of all. */
export interface TaskOwner {
	workspaceId: string
	agentId: string
	userId: string
	serverId: string | null
}

const running = ['working', 'input_required']

export async function insertTask(tx: DatabaseTransaction, row: TaskRow): Promise<void> {
	await tx.insertInto('mcp_tasks').values(row).execute()
}

export function findTask(db: Queryable, workspaceId: string, id: string): Promise<TaskRow | undefined> {
	return db
		.selectFrom('mcp_tasks')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

function owned(db: Queryable, { workspaceId, agentId, userId, serverId }: TaskOwner, nowMs: number) {
	return db
		.selectFrom('mcp_tasks')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('agent_id', '=', agentId)
		.where('user_id', '=', userId)
		.where('expires_at', '>', nowMs)
		.$if(serverId !== null, (query) => query.where('server_id', '=', serverId as string))
}

export function findOwnTask(
	db: Database,
	owner: TaskOwner,
	id: string,
	nowMs: number,
): Promise<TaskRow | undefined> {
	return owned(db, owner, nowMs).where('id', '=', id).executeTakeFirst()
}

/** Newest first; only tasks before the id `before`. */
export function listOwnTasks(
	db: Database,
	owner: TaskOwner,
	before: string | null,
	limit: number,
	nowMs: number,
): Promise<TaskRow[]> {
	return owned(db, owner, nowMs)
		.$if(before !== null, (query) => query.where('id', '<', before as string))
		.orderBy('id', 'desc')
		.limit(limit)
		.execute()
}

/** How many of an agent's tasks run. */
export async function countRunning(db: Queryable, workspaceId: string, agentId: string): Promise<number> {
	const counted = db
		.selectFrom('mcp_tasks')
		.select((eb) => eb.fn.countAll<number>().as('total'))
		.where('workspace_id', '=', workspaceId)
		.where('agent_id', '=', agentId)
		.where('status', 'in', running)
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

export type TaskChange = Pick<TaskRow, 'status' | 'status_message' | 'updated_at' | 'sealed_state'>

/** Updates a task if it is unchanged since it was read; false otherwise. */
export async function changeTask(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	version: number,
	values: TaskChange,
): Promise<boolean> {
	const changed = await tx
		.updateTable('mcp_tasks')
		.set({ ...values, version: version + 1 })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('version', '=', version)
		.executeTakeFirst()
	return changed.numUpdatedRows === 1n
}

/** Across workspaces: running tasks whose process is gone, or with `alone` all tasks of other processes than this one. */
export function listAbandoned(db: Database, by: string, nowMs: number, alone: boolean): Promise<TaskRow[]> {
	return db
		.selectFrom('mcp_tasks')
		.selectAll()
		.where('status', 'in', running)
		.where('held_by', '!=', by)
		.$if(!alone, (query) => query.where('held_until', '<', nowMs))
		.orderBy('id')
		.limit(100)
		.execute()
}

/** Takes a task over from the process that had it. Of several processes that try, only one succeeds. */
export async function takeTask(
	db: Database,
	{ workspace_id, id, held_by, held_until }: TaskRow,
	by: string,
	untilMs: number,
): Promise<boolean> {
	const taken = await db
		.updateTable('mcp_tasks')
		.set({ held_by: by, held_until: untilMs })
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('held_by', '=', held_by)
		.where('held_until', '=', held_until)
		.executeTakeFirst()
	return taken.numUpdatedRows === 1n
}

/** Across workspaces: extends this process's leases on its tasks; 0 gives them up. */
export async function holdTasks(db: Database, by: string, untilMs: number): Promise<void> {
	await db
		.updateTable('mcp_tasks')
		.set({ held_until: untilMs })
		.where('held_by', '=', by)
		.where('status', 'in', running)
		.execute()
}

/** Across workspaces. */
export async function deleteExpiredTasks(db: Database, atMs: number): Promise<void> {
	await db.deleteFrom('mcp_tasks').where('expires_at', '<', atMs).where('status', 'not in', running).execute()
}
