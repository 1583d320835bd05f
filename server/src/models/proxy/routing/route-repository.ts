import type { Queryable } from '../../../platform/database/database.ts'
import { ownedRows } from '../../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type ModelRouteRow = ControlSchema['model_routes']

export const {
	find: findModelRoute,
	list: listModelRoutes,
	insert: insertModelRoute,
	update: updateModelRoute,
	remove: deleteModelRoute,
} = ownedRows('model_routes')

/** Whether a connection has the name: routes and connections share their names. */
export async function connectionHasName(db: Queryable, workspaceId: string, name: string): Promise<boolean> {
	const found = await db
		.selectFrom('connections')
		.select('id')
		.where('workspace_id', '=', workspaceId)
		.where('name', '=', name)
		.executeTakeFirst()
	return found !== undefined
}

export async function listConnectionNames(db: Queryable, workspaceId: string): Promise<Set<string>> {
	const rows = await db
		.selectFrom('connections')
		.select('name')
		.where('workspace_id', '=', workspaceId)
		.execute()
	return new Set(rows.map(({ name }) => name))
}

export async function routeHasName(db: Queryable, workspaceId: string, name: string): Promise<boolean> {
	return (await ofWorkspace(db, workspaceId).where('name', '=', name).executeTakeFirst()) !== undefined
}

/** For the in-memory view, across workspaces: all routes, or one that changed. */
export function readModelRoutes(db: Queryable, id?: string): Promise<ModelRouteRow[]> {
	const all = db.selectFrom('model_routes').selectAll()
	return (id === undefined ? all : all.where('id', '=', id)).execute()
}

function ofWorkspace(db: Queryable, workspaceId: string) {
	return db.selectFrom('model_routes').selectAll().where('workspace_id', '=', workspaceId)
}
