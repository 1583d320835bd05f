import type { Queryable } from '../../platform/database/index.ts'
import type { Page } from '../../platform/paging.ts'
import type { HookRow } from './hook.ts'

export async function listHooks(
	db: Queryable,
	workspaceId: string,
	{ page, limit, order }: Page & { order: 'asc' | 'desc' },
): Promise<{ rows: HookRow[]; total: number }> {
	const rows = await db
		.selectFrom('hooks')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.orderBy('created_at', order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	return { rows, total: await countHooks(db, workspaceId) }
}

export async function countHooks(db: Queryable, workspaceId: string): Promise<number> {
	const { total } = await db
		.selectFrom('hooks')
		.select((eb) => eb.fn.countAll<number>().as('total'))
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirstOrThrow()
	return Number(total)
}

export function findHook(db: Queryable, workspaceId: string, id: string): Promise<HookRow | undefined> {
	return db
		.selectFrom('hooks')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

export async function insertHook(db: Queryable, row: HookRow): Promise<void> {
	await db.insertInto('hooks').values(row).execute()
}

export async function updateHook(db: Queryable, row: HookRow): Promise<void> {
	const { id, workspace_id, ...values } = row
	await db
		.updateTable('hooks')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.execute()
}

export async function deleteHook(db: Queryable, workspaceId: string, id: string): Promise<void> {
	await db.deleteFrom('hooks').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** For the in-memory view: every workspace's in the order in which they run, or one that changed. */
export function readHooks(db: Queryable, id?: string): Promise<HookRow[]> {
	const all = db.selectFrom('hooks').selectAll().orderBy('created_at').orderBy('id')
	return (id === undefined ? all : all.where('id', '=', id)).execute()
}
