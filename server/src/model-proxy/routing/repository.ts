import type { Queryable } from '../../platform/database/index.ts'
import type { Page } from '../../platform/paging.ts'
import type { ModelRouteRow } from './model-route.ts'

export async function listModelRoutes(
	db: Queryable,
	workspaceId: string,
	{ page, limit, order }: Page & { order: 'asc' | 'desc' },
): Promise<{ rows: ModelRouteRow[]; total: number }> {
	const own = db.selectFrom('model_routes').where('workspace_id', '=', workspaceId)
	const rows = await own
		.selectAll()
		.orderBy('created_at', order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	const { total } = await own.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
	return { rows, total: Number(total) }
}

export function findModelRoute(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<ModelRouteRow | undefined> {
	return ofWorkspace(db, workspaceId).where('id', '=', id).executeTakeFirst()
}

/** Whether a connection has the name; routes and connections are addressed alike. */
export async function connectionHasName(db: Queryable, workspaceId: string, name: string): Promise<boolean> {
	const found = await db
		.selectFrom('connections')
		.select('id')
		.where('workspace_id', '=', workspaceId)
		.where('name', '=', name)
		.executeTakeFirst()
	return found !== undefined
}

export async function routeHasName(db: Queryable, workspaceId: string, name: string): Promise<boolean> {
	return (await ofWorkspace(db, workspaceId).where('name', '=', name).executeTakeFirst()) !== undefined
}

export async function insertModelRoute(db: Queryable, row: ModelRouteRow): Promise<void> {
	await db.insertInto('model_routes').values(row).execute()
}

export async function updateModelRoute(db: Queryable, row: ModelRouteRow): Promise<void> {
	const { id, workspace_id, ...values } = row
	await db
		.updateTable('model_routes')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.execute()
}

export async function deleteModelRoute(db: Queryable, workspaceId: string, id: string): Promise<void> {
	await db.deleteFrom('model_routes').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** For the in-memory view: every workspace's, or one that changed. */
export function readModelRoutes(db: Queryable, id?: string): Promise<ModelRouteRow[]> {
	const all = db.selectFrom('model_routes').selectAll()
	return (id === undefined ? all : all.where('id', '=', id)).execute()
}

function ofWorkspace(db: Queryable, workspaceId: string) {
	return db.selectFrom('model_routes').selectAll().where('workspace_id', '=', workspaceId)
}
