import type { Queryable } from '../../platform/database/index.ts'
import type { Page } from '../../platform/paging.ts'
import type { ModelLimitRow } from './model-limit.ts'

export async function listModelLimits(
	db: Queryable,
	workspaceId: string,
	{ page, limit, order }: Page & { order: 'asc' | 'desc' },
): Promise<{ rows: ModelLimitRow[]; total: number }> {
	const rows = await ofWorkspace(db, workspaceId)
		.selectAll()
		.orderBy('created_at', order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	return { rows, total: await countModelLimits(db, workspaceId) }
}

export async function countModelLimits(db: Queryable, workspaceId: string): Promise<number> {
	const counted = ofWorkspace(db, workspaceId).select((eb) => eb.fn.countAll<number>().as('total'))
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

export function findModelLimit(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<ModelLimitRow | undefined> {
	return ofWorkspace(db, workspaceId).selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertModelLimit(db: Queryable, row: ModelLimitRow): Promise<void> {
	await db.insertInto('model_limits').values(row).execute()
}

export async function updateModelLimit(db: Queryable, row: ModelLimitRow): Promise<void> {
	const { id, workspace_id, ...values } = row
	await db
		.updateTable('model_limits')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.execute()
}

export async function deleteModelLimit(db: Queryable, workspaceId: string, id: string): Promise<void> {
	await db.deleteFrom('model_limits').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** For the in-memory view: every workspace's, or one that changed; only those that count. */
export function readModelLimits(db: Queryable, id?: string): Promise<ModelLimitRow[]> {
	const all = db.selectFrom('model_limits').selectAll().where('enabled', '=', 1)
	return (id === undefined ? all : all.where('id', '=', id)).execute()
}

function ofWorkspace(db: Queryable, workspaceId: string) {
	return db.selectFrom('model_limits').where('workspace_id', '=', workspaceId)
}
